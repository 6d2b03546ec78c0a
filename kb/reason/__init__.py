"""OWL 2 RL over the facts of a knowledge base: what follows, why, and what contradicts itself."""
