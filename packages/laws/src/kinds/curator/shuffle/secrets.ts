import { seededRandom, type Adjacency, type RandomSource } from '@lethe/core';
import { defined } from '@lethe/numerics';
import type { Violation } from '../../../law/finding.js';
import { defineLaw } from '../../../law/law.js';
import type { Subject } from '../../../law/subject.js';
import { firstOf } from '../outcomes.js';
import { openShuffleFixture, shuffledMean, underFixed } from './fixture.js';

/** Labels of forks, from the curator's source down to a source. */
type Path = readonly (string | number)[];

/** That something was drawn: from which source, and for which user; `null` for everybody else. */
interface Draw {
  readonly path: Path;
  readonly user: number | null;
}

export const shuffleSecrets = defineLaw<'curator'>({
  id: 'curator/shuffle-secrets',
  kind: 'curator',
  tier: 'exact',
  invariant: 'I-7',
  statement:
    'The source that a user is given serves this user alone: neither the order of the messages nor what ' +
    'another user draws comes from it, or from a fork of it.',
  power: 'certain for a curator that forks the source it is given, with eight users',
  cells: underFixed,
  check: (subject, env) => firstOf(served(subject, defined(env.cell.adjacency))),
});

function* served(subject: Subject<'curator'>, adjacency: Adjacency): Generator<Violation | undefined> {
  const paths = new WeakMap<RandomSource, Path>();
  const given: Path[] = [];
  const draws: Draw[] = [];
  let user: number | null = null;
  const { ask, allRecords } = openShuffleFixture(subject, {
    adjacency,
    randomness: watched(seededRandom('secrets'), [], paths, (path) => draws.push({ path, user })),
    recording: {
      bug: {
        randomise(_params, { dimension }, _record, random) {
          user = given.length;
          given.push(paths.get(random) ?? []);
          const message = random.integer(2 ** 20);
          user = null;
          return Uint32Array.from({ length: dimension + 1 }, (_, j) => (j < dimension ? 0 : message));
        },
      },
    },
  });
  for (let query = 0; query < 3; query++) {
    draws.length = 0;
    given.length = 0;
    ask(shuffledMean(allRecords));
    for (const [i, path] of given.entries()) {
      const foreign = draws.find((draw) => draw.user !== i && isWithin(draw.path, path));
      yield foreign === undefined
        ? undefined
        : {
            what:
              `user ${i} is given the source '${path.join('/')}' of the curator's randomness; ` +
              `${foreign.user === null ? 'the shuffler' : `user ${foreign.user}`} draws from ` +
              `'${foreign.path.join('/')}'; fork a source for each user, and another for the shuffler`,
          };
    }
  }
}

/** Whether a source is another one, or a fork below it. */
const isWithin = (path: Path, other: Path): boolean =>
  other.length <= path.length && other.every((label, i) => Object.is(label, path[i]));

/** The same source, which tells of draws from it and from its forks; `paths` remembers where each is. */
function watched(
  source: RandomSource,
  path: Path,
  paths: WeakMap<RandomSource, Path>,
  onDraw: (path: Path) => void,
): RandomSource {
  const drawn =
    <A extends readonly unknown[], R>(draw: (...given: A) => R) =>
    (...given: A): R => {
      onDraw(path);
      return draw(...given);
    };
  const own: RandomSource = {
    kind: source.kind,
    uniform: drawn(() => source.uniform()),
    integer: drawn((below: number) => source.integer(below)),
    bits32: drawn(() => source.bits32()),
    bits53: drawn(() => source.bits53()),
    bytes: drawn((count: number) => source.bytes(count)),
    gaussianInto: drawn((out: Float64Array) => source.gaussianInto(out)),
    laplaceInto: drawn((out: Float64Array) => source.laplaceInto(out)),
    exponential: drawn(() => source.exponential()),
    key: drawn(() => source.key()),
    fork: (label) => watched(source.fork(label), [...path, label], paths, onDraw),
  };
  paths.set(own, path);
  return own;
}
