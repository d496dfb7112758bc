"""Files written, copied and checked; what is cached between runs."""
