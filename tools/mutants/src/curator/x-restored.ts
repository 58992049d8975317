import type { centralCurator } from '@lethe/curator';
import type { Subject } from '@lethe/laws';
import { defineMutant } from '../mutant.js';
import { patched, type Patch } from '../patched.js';
import { curatorOf } from './wrap.js';

const source = 'an attack: a copy of a ledger is restored, and asked something else at a step of a stream';

const plant = async (patch: Patch): Promise<Subject<'curator'>> => {
  const module = await patched<{ readonly centralCurator: typeof centralCurator }>(
    'curator/src/curator/central.ts',
    [patch],
  );
  return curatorOf(module.centralCurator);
};
const killedBy = ['curator/restored-copies'] as const;

export const noiseOfStep = defineMutant({
  id: 'curator/stream-noise-of-the-step-alone',
  title: 'the noise of a step of a stream is the same, whatever is asked',
  kind: 'curator',
  source,
  killedBy,
  within: 10,
  plant: () => plant({ file: 'curator/stream.ts', find: 'rows.fork(course)', put: 'rows.fork(s)' }),
});

export const noiseOfQuery = defineMutant({
  id: 'curator/stream-noise-of-the-query-alone',
  title: 'a row of the noise of a stream depends on the push of its step, and not on those before',
  kind: 'curator',
  source,
  killedBy,
  within: 10,
  plant: () =>
    plant({
      file: 'curator/stream.ts',
      find: 'courses.slice(Math.max(0, step - 1), step)',
      put: 'Uint8Array.of(step)',
    }),
});

export const noiseOfName = defineMutant({
  id: 'curator/noise-of-the-name-of-a-batch',
  title: 'noise depends on the name of a batch, and not on the query that made it',
  kind: 'curator',
  source,
  killedBy,
  within: 10,
  plant: () =>
    plant({
      file: 'curator/open-curator.ts',
      find: 'below(spaceOf(effect)).fork(label)',
      put: 'queryRoot.fork(label)',
    }),
});

export const pushOfName = defineMutant({
  id: 'curator/stream-noise-of-the-name-of-a-batch',
  title: 'the noise of a stream depends on names of batches, and not on the queries that made them',
  kind: 'curator',
  source,
  killedBy,
  within: 10,
  plant: () =>
    plant({
      file: 'curator/stream.ts',
      find: '...(origin === null ? [] : [origin.key()])',
      put: '...(origin === null ? [] : [])',
    }),
});
