"""Claims of Bao, Hataya and Karakida, arXiv 2402.02098."""
