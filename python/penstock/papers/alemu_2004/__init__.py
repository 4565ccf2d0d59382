"""T. Alemu, "Performance Evaluation of Quality of Service Mechanisms in the Internet", Montpellier 2004."""
