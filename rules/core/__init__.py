"""Types that the rules and the engine share: findings, dtypes, refusals, and the registry of rules."""
