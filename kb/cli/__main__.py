"""`python -m kb.cli`, where the script `kb` is not installed."""

from kb.cli.main import main

main()
