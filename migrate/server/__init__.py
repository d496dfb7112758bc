"""The language server: findings, quick fixes and what is known about variables, while a file is edited."""
