"""What one file and one unit of it tell the project, without syntax."""
