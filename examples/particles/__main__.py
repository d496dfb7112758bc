"""Run the simulation: `python -m particles` from the folder above."""

import argparse

import numpy as np

from .energy import kinetic_energy, potential_of_height, speed_histogram, temperature
from .gas import Gas
from .initial import lattice, remove_drift, thermal_velocities
from .walls import WallCounter


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--particles", type=int, default=64)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def main():
    args = parse_arguments()
    rng = np.random.default_rng(args.seed)
    box = np.array([9.0, 9.0])
    position = lattice(args.particles, box)
    velocity = thermal_velocities(rng, args.particles, scale=1.5)
    mass = np.ones(args.particles)
    mass[::4] = 2.0
    remove_drift(velocity, mass)

    gas = Gas(position, velocity, mass, box, diameter=0.8, stiffness=50.0, gravity=0.2)
    walls = WallCounter()
    print(" step     kinetic   potential       total    hits")
    for step in range(args.steps + 1):
        if step % 20 == 0:
            kinetic = kinetic_energy(gas.velocity, gas.mass)
            potential = gas.contact_energy + potential_of_height(gas.position, gas.mass, gas.gravity)
            print(f"{step:5d} {kinetic:11.6f} {potential:11.6f} {kinetic + potential:11.6f} {walls.total:7d}")
        gas.step(0.01, walls)

    counts, edges = speed_histogram(gas.velocity, bins=6, top=4.5)
    for count, low in zip(counts, edges[:-1]):
        print(f"speed from {low:.1f}: " + "*" * int(count))
    print(f"temperature {temperature(gas.velocity, gas.mass):.6f}")
    print("momentum", np.round(gas.momentum(), 6).tolist())
    print("hits by wall", walls.hits.tolist())
    print(f"largest displacement {gas.largest_displacement():.6f}")


if __name__ == "__main__":
    main()
