"""Checks that two versions agree: recording, replaying, comparing and reporting."""
