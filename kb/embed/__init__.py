"""What makes vectors of texts: the providers, their settings, and the vectors that are kept for the next build."""
