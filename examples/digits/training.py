"""Minibatches drawn at random, and the loop over the epochs."""

import numpy as np

from .network import accuracy, init_network_params, loss, update


def random_batch(num_images, batch_size):
    """Which images make the next minibatch."""
    return np.random.choice(num_images, batch_size, replace=False)


def train(images, targets, layer_sizes, num_epochs=5, batch_size=128, step_size=0.5):
    """Parameters after `num_epochs` times as many minibatches as the images make."""
    params = init_network_params(layer_sizes)
    for epoch in range(num_epochs):
        for _ in range(len(images) // batch_size):
            batch = random_batch(len(images), batch_size)
            params = update(params, images[batch], targets[batch], step_size)
        print(f"epoch {epoch}: loss {loss(params, images, targets):.4f}, accuracy {accuracy(params, images, targets):.4f}")
    return params
