import { randomFromKey, type RandomSource } from './source.js';

/**
 * Public randomness of an optimizer, forked from its caller's source. `plan` and `steps` use the same fork,
 * which always starts from its beginning. Transcripts contain its key.
 */
export function publicCoins(random: RandomSource): RandomSource {
  const fork = random.fork('optimizer');
  return randomFromKey(fork.key(), fork.kind);
}
