import { join } from 'node:path';
import { root } from './repository.js';

/**
 * Packages that stand for a user's own, one for each kind of part
 * that an experiment can name, and an experiment that needs all.
 */
export const ownFixtures = join(root, 'tools/release-checks/fixtures');
/** The folders of the packages, in the order in which the experiment names them. */
export const ownFolders: readonly string[] = ['clip', 'sampler', 'domain', 'loss', 'mean', 'optimizer'].map(
  (kind) => join(ownFixtures, `own-${kind}`),
);
