"""The table jackpot: what it is set to, how it grows, who has won and what is paid (JP-1 to JP-13). Pure integers."""
