"""What parameters and results are: from annotations, from usage, from the table."""
