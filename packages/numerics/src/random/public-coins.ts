import { randomFromKey, type RandomSource } from './source.js';

/**
 * The public coins of an optimizer, from the source its caller was given: the ones that plan and steps both see, drawn from
 * their beginning whatever was drawn before. Their key is written into transcripts.
 */
export function publicCoins(random: RandomSource): RandomSource {
  const fork = random.fork('optimizer');
  return randomFromKey(fork.key(), fork.kind);
}
