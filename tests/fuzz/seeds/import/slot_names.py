[
[('forward', 'rope_0-none-15-1024', 'none-none-6-1024'), ('backward', 'attn_0-none-3-1024', 'norm_0-none-6-1024', 'rope_0-none-9-1024', 'activation_0-none-12-1024')],
]
# Iteration 7 cost change: 0.5
# Iteration 7 total cost: 10.5
# Iteration 7 total cost with P2P: 12.5
