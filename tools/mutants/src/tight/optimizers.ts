import { dpSgd, noisyClippedAcSa } from '@lethe/algorithms';
import { subjectsOf, type Subject } from '@lethe/laws';
import { defineTight } from '../mutant.ts';
import { companions } from '../reference/spied-optimizer.ts';
import { untilQuiet } from '../reference/until-quiet.ts';

const tight = (id: string, plugin: Parameters<typeof subjectsOf>[0], params?: unknown): ReturnType<typeof defineTight<'optimizer'>> =>
  defineTight({ id, kind: 'optimizer', plant: () => subjectsOf(plugin, { registry: companions, ...(params === undefined ? {} : { params }) })[0] as Subject<'optimizer'> });

export const tightDpSgd = tight('dp-sgd', dpSgd);
export const tightFullBatch = tight('dp-sgd-everyone', dpSgd, { steps: 3, rate: 1, clipNorm: 1, stepSize: 0.5, average: 'polyak', checkpointEvery: 1 });
export const tightAcSa = tight('noisy-clipped-ac-sa', noisyClippedAcSa);
export const tightAcSaOneByOne = tight('noisy-clipped-ac-sa-one-by-one', noisyClippedAcSa, { rounds: 24, clipNorm: 1, mean: { name: 'clipped-gaussian' }, checkpointEvery: 5 });
export const tightUntilQuiet = tight('until-quiet', untilQuiet());
