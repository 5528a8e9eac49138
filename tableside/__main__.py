"""`python -m tableside`."""

from tableside.cli import main

if __name__ == "__main__":
    main()
