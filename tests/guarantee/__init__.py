"""Never exceeded: random message sets and an adversary that look for a response above its bound."""
