"""What one file and one unit of it report to the linker, without syntax."""
