"""A gas of soft discs under gravity in a box with hard walls, integrated with velocity Verlet."""
