"""Code that is compiled again and again, or that takes long to compile."""
