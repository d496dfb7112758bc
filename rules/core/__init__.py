"""The types that rules and the engine share: findings, facts, the questions that rules ask, the list of rules."""
