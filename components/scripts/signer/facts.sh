# What a signer's move asks of both hosts before it touches anything. Only reads.
