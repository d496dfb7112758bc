"""Answers to the rules about one unit: implements rules.context, one subject per module."""
