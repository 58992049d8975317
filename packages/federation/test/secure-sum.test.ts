import { describe, expect, it } from 'vitest';
import { seededRandom, type RandomSource } from '@lethe/core';
import {
  skellam,
  liftedWords,
  noiseExcess,
  noiseForLevel,
  noiseShare,
  sumParameters,
  wholeRadius,
  wordsOf,
  wordWidth,
  type SumParameters,
  type Width,
  type Words,
} from '@lethe/mechanisms';
import {
  refusalOf,
  secureSum,
  signedRounds,
  sumSilo,
  unmask,
  type PublicIdentity,
  type Revealed,
  type SignedRounds,
  type SumName,
  type SumPeer,
  type SumSilo,
} from '../src/index.js';
import { identityOf } from './support/world.js';

const length = 5;
const plan = new Uint8Array(32).fill(7);
const name: SumName = { plan, round: 3, attempt: 0 };
const identities = Array.from({ length: 10 }, (_, i) => identityOf(`silo ${i}`));
const valuesAt = (silo: number): Float64Array =>
  Float64Array.from({ length }, (_, j) => (silo + 1) * 1000 * (j % 2 === 0 ? 1 : -1) + j);
const sumOf = (silos: readonly number[]): number[] =>
  Array.from({ length }, (_, j) => silos.reduce((sum, silo) => sum + valuesAt(silo)[j], 0));

interface Given {
  readonly parameters: SumParameters;
  readonly width?: Width;
  readonly at?: SumName;
  readonly directory?: readonly PublicIdentity[];
  readonly signed?: readonly SignedRounds[];
}
const silosOf = ({ parameters, width = 32, at = name, directory, signed }: Given): SumSilo[] =>
  identities.slice(0, parameters.silos).map((identity, own) =>
    sumSilo({
      name: at,
      parameters,
      own,
      identity,
      directory: directory ?? identities.slice(0, parameters.silos).map((one) => one.public),
      width,
      signed: signed?.[own] ?? signedRounds(),
    }),
  );

/** Peers of which silo i answers its first `steps[i]` of five steps. */
const peersOf = (silos: readonly SumSilo[], steps: readonly number[], width: Width = 32): SumPeer[] =>
  silos.map((silo, i) => {
    const alive = async <T>(step: number, act: () => T | Promise<T>): Promise<T> => {
      if (step > steps[i]) throw new Error('silence');
      return await act();
    };
    return {
      advertise: () => alive(1, () => silo.advertise()),
      share: (keys) => alive(2, () => silo.share(keys)),
      mask: (members, boxes) => alive(3, () => silo.mask(members, boxes, wordsOf(valuesAt(i), width))),
      sign: (survivors) => alive(4, () => silo.sign(survivors)),
      reveal: (signatures) => alive(5, () => silo.reveal(signatures)),
    };
  });

/** Who survives, by the rules of the protocol alone; `null` for no sum. */
function expected({ threshold, survivors }: SumParameters, steps: readonly number[]): number[] | null {
  const answering = (step: number): number[] => steps.flatMap((one, silo) => (one >= step ? [silo] : []));
  if (answering(1).length < Math.max(threshold, survivors)) return null;
  if (answering(2).length < survivors || answering(3).length < survivors) return null;
  return answering(4).length < threshold || answering(5).length < threshold ? null : answering(3);
}

/** All lists of `count` numbers out of `choices`. */
const lists = (count: number, choices: readonly number[]): number[][] =>
  count === 0 ? [[]] : lists(count - 1, choices).flatMap((rest) => choices.map((one) => [...rest, one]));

/** Minutes of patterns are for the effort `full`. */
const isFull = process.env['LETHE_EFFORT'] === 'full';

/**
 * Steps that each silo answers before it drops out, out of five. Of up to 3 silos all patterns of all steps.
 */
function patternsOf(silos: number): number[][] {
  const steps = [0, 1, 2, 3, 4, 5];
  if (silos <= 2 || (silos === 3 && isFull)) return lists(silos, steps);
  if (isFull) return lists(silos, [2, 4, 5]);
  // Whoever drops out does so before values are sent, or all of them before shares are revealed.
  return [2, 4].flatMap((dropped) => (dropped === 4 && silos > 4 ? [] : lists(silos, [dropped, 5])));
}

describe('a secure sum', () => {
  const cases = [2, 3, 4, ...(isFull ? [5] : [])].flatMap((silos) =>
    // By day of the largest number with one corrupted silo alone.
    Array.from({ length: silos }, (_, corrupted) => ({ silos, corrupted })).filter(
      ({ corrupted }) => isFull || silos < 4 || corrupted === 1,
    ),
  );
  it.each(cases)(
    'is exact for every pattern of dropouts, or refused: $silos silos, $corrupted corrupted',
    async (given) => {
      const least = sumParameters(given).threshold;
      const patterns = patternsOf(given.silos);
      let sums = 0;
      for (const [k, steps] of patterns.entries()) {
        // Every number of survivors that the plan may demand, in turn.
        const survivors = least + (k % (given.silos - least + 1));
        const parameters = sumParameters({ ...given, survivors });
        const left = expected(parameters, steps);
        const outcome = await secureSum(peersOf(silosOf({ parameters }), steps), {
          name,
          parameters,
          length,
          width: 32,
        }).catch((error: unknown) => refusalOf(error));
        if (left === null) expect(outcome, `steps ${String(steps)}`).toBe('few-survivors');
        else {
          const { sum, survivors: told } = outcome as { sum: Words; survivors: number[] };
          expect([told, [...liftedWords(sum)]], `steps ${String(steps)}`).toStrictEqual([left, sumOf(left)]);
          sums += 1;
        }
      }
      expect(sums).toBeGreaterThan(0);
      expect(sums).toBeLessThan(patterns.length);
    },
  );

  it('wraps around in words of 32 and of 64 bits', async () => {
    const parameters = sumParameters({ silos: 3, corrupted: 0 });
    const wide = await secureSum(peersOf(silosOf({ parameters, width: 64 }), [5, 5, 5], 64), {
      name,
      parameters,
      length,
      width: 64,
    });
    expect([...liftedWords(wide.sum)]).toStrictEqual(sumOf([0, 1, 2]));
    for (const [value, width, lifted] of [
      [2 ** 31 - 1, 32, 2 ** 31 - 1],
      [2 ** 31, 32, -(2 ** 31)],
      [-(2 ** 31) - 1, 32, 2 ** 31 - 1],
      [-(2 ** 52), 64, -(2 ** 52)],
      [2 ** 52, 64, 2 ** 52],
    ] as const)
      expect([...liftedWords(wordsOf(Float64Array.of(value), width))]).toStrictEqual([lifted]);
    expect(() => wordsOf(Float64Array.of(0.5), 32)).toThrow(/whole numbers/u);
  });

  it('shows nothing of one silo: masked values change with every attempt', async () => {
    const parameters = sumParameters({ silos: 3, corrupted: 0 });
    const seen = new Set<string>();
    for (let attempt = 0; attempt < 20; attempt++) {
      const silos = silosOf({ parameters, at: { ...name, attempt } });
      const keys = silos.map((silo) => silo.advertise());
      const boxes = await Promise.all(silos.map((silo) => silo.share(keys)));
      const masked = silos[0].mask(
        [0, 1, 2],
        boxes.map((from) => from[0]),
        wordsOf(valuesAt(0), 32),
      );
      seen.add(String(masked));
    }
    expect(seen.size).toBe(20);
  });
});

/** Silos whose values are masked, at the step where sets are signed. */
async function withMasks(given: Given) {
  const silos = silosOf(given);
  const all = silos.map((_, i) => i);
  const keys = silos.map((silo) => silo.advertise());
  const boxes = await Promise.all(silos.map((silo) => silo.share(keys)));
  const words = silos.map((silo, i) =>
    silo.mask(
      all,
      boxes.map((from) => from[i]),
      wordsOf(valuesAt(i), 32),
    ),
  );
  return { silos, keys, members: all, words };
}
const code = (act: () => unknown): unknown => {
  try {
    act();
    return 'nothing was refused';
  } catch (error) {
    return refusalOf(error);
  }
};

/** A server that tells silos different sets: four of ten in all of them, and two of the others in turn. */
const lyingLists = (): number[][] => {
  const pairs = [
    [4, 5],
    [6, 7],
    [8, 9],
  ];
  const listOf = (silo: number): number[] => {
    const turn = silo < 4 ? [0, 1, 2, 0][silo] : Math.floor((silo - 4) / 2);
    return [0, 1, 2, 3, ...pairs[turn]];
  };
  return Array.from({ length: 10 }, (_, silo) => listOf(silo));
};

describe('one set of survivors', () => {
  const parameters = sumParameters({ silos: 10, corrupted: 0 });

  it('is needed: without signatures a server that lies decodes 4 of 10 silos, threshold 6', async () => {
    expect(parameters.threshold).toBe(6);
    const verifies = { verify: () => true };
    const directory = identities.map((one) => ({ ...one.public, ...verifies }));
    const { silos, keys, members, words } = await withMasks({ parameters, directory });
    const claimed = lyingLists();
    const fake = silos.map(() => new Uint8Array(64));
    const revealed = silos.map((silo, i): readonly Revealed[] => {
      silo.sign(claimed[i]);
      return silo.reveal(fake);
    });
    const sum = await unmask({
      name,
      parameters,
      length,
      width: 32,
      keys,
      members,
      survivors: [0, 1, 2, 3],
      masked: words,
      revealed,
    });
    expect([...liftedWords(sum)]).toStrictEqual(sumOf([0, 1, 2, 3]));
  });

  it('is enforced: with signatures the same server learns no sum at all', async () => {
    const { silos } = await withMasks({ parameters });
    const claimed = lyingLists();
    const signatures = silos.map((silo, i) => silo.sign(claimed[i]));
    for (const silo of silos) expect(code(() => silo.reveal(signatures))).toBe('few-signatures');
  });

  it('is all that t silos can sign, for up to 5 silos and any number of corrupted ones', () => {
    for (const silos of isFull ? [2, 3, 4, 5] : [2, 3, 4])
      for (let corrupted = 0; corrupted < silos; corrupted++) {
        const { threshold, survivors } = sumParameters({ silos, corrupted });
        const sets = lists(silos, [0, 1])
          .map((bits) => bits.flatMap((bit, silo) => (bit === 1 ? [silo] : [])))
          .filter((set) => set.length >= survivors);
        const honest = Array.from({ length: silos - corrupted }, (_, i) => i);
        const liars = Array.from({ length: corrupted }, (_, i) => silos - 1 - i);
        // Every choice of a set by each honest silo, which is in it; corrupted silos sign whatever they are
        // in.
        const choices = lists(honest.length, Array.from(sets.keys()));
        for (const choice of choices) {
          if (choice.some((set, silo) => !sets[set].includes(silo))) continue;
          const signed = sets.filter((set, s) => {
            const signers = honest.filter((silo) => choice[silo] === s).length;
            return signers + liars.filter((liar) => set.includes(liar)).length >= threshold;
          });
          expect(signed.length).toBeLessThanOrEqual(1);
          // So that of no silo t shares of both kinds come out.
          for (let of = 0; of < silos; of++) {
            const [set] = signed;
            if (set === undefined) continue;
            const told = honest.filter((silo) => sets[choice[silo]] === set).length;
            const masks = corrupted + (set.includes(of) ? told : 0);
            const keysOut = corrupted + (set.includes(of) ? 0 : told);
            expect(Math.min(masks, keysOut)).toBeLessThan(threshold);
          }
        }
      }
  });

  it('has a threshold that is just enough: with 2t = M + C two sets are signed', () => {
    const [silos, corrupted, threshold] = [5, 1, 3];
    const signers = (honest: readonly number[]): number => honest.length + corrupted;
    expect([signers([0, 1]), signers([2, 3])].every((count) => count >= threshold)).toBe(true);
    expect(sumParameters({ silos, corrupted }).threshold).toBe(threshold + 1);
  });
});

describe('a server of a sum', () => {
  const parameters = sumParameters({ silos: 4, corrupted: 1 });
  /** The sum where the first silo reveals something else. */
  const withLies = async (lie: (honest: readonly Revealed[]) => readonly Revealed[]): Promise<unknown> => {
    const [first, ...others] = peersOf(silosOf({ parameters }), [5, 5, 5, 5]);
    const lying: SumPeer = { ...first, reveal: async (signatures) => lie(await first.reveal(signatures)) };
    return await secureSum([lying, ...others], { name, parameters, length, width: 32 }).then(
      ({ sum }) => [...liftedWords(sum)],
      (error: unknown) => refusalOf(error),
    );
  };

  it('counts one share of a silo, however many it sends', async () => {
    expect(await withLies((honest) => [...honest, ...honest, ...honest])).toStrictEqual(sumOf([0, 1, 2, 3]));
  });

  it('refuses shares that make no secret', async () => {
    for (const share of [new Uint8Array(0), new Uint8Array(1), new Uint8Array(70)])
      expect(await withLies((honest) => honest.map((one) => ({ ...one, share })))).toBe('wrong-keys');
  });
});

describe('a silo of a sum refuses', () => {
  const parameters = sumParameters({ silos: 4, corrupted: 1 });

  it('keys that are not signed for this attempt, and too few of them', async () => {
    const silos = silosOf({ parameters });
    const keys = silos.map((silo) => silo.advertise());
    const other = silosOf({ parameters, at: { ...name, attempt: 1 } }).map((silo) => silo.advertise());
    const share = async (given: Parameters<SumSilo['share']>[0]): Promise<unknown> =>
      await silosOf({ parameters })[0]
        .share(given)
        .then(
          () => 'nothing was refused',
          (error: unknown) => refusalOf(error),
        );
    expect(await share([keys[0], other[1], keys[2], keys[3]])).toBe('wrong-keys');
    expect(await share([keys[0], { ...keys[1], key: keys[2].key }, keys[2], keys[3]])).toBe('wrong-keys');
    expect(await share([keys[0], keys[1], null, null])).toBe('few-survivors');
    expect(await share(keys.slice(0, 3))).toBe('wrong-keys');
    expect(await share(keys)).toBe('nothing was refused');
  });

  it('boxes that were changed or are for others, and sets without it or with too few', async () => {
    const begun = async () => {
      const silos = silosOf({ parameters });
      const keys = silos.map((silo) => silo.advertise());
      const boxes = await Promise.all(silos.map((silo) => silo.share(keys)));
      return { silos, boxesFor: (to: number) => boxes.map((from) => from[to]) };
    };
    const words = wordsOf(valuesAt(0), 32);
    const { silos, boxesFor } = await begun();
    const right = boxesFor(0);
    const [silo] = silos;
    expect(code(() => silo.mask([0, 1, 2, 3], boxesFor(1), words))).toBe('wrong-keys');
    const changed = right.map((box, i) =>
      i === 2 && box !== null ? box.map((byte, at) => (at === 9 ? byte ^ 1 : byte)) : box,
    );
    expect(code(() => silo.mask([0, 1, 2, 3], changed, words))).toBe('wrong-keys');
    expect(code(() => silo.mask([1, 2, 3], right, words))).toBe('wrong-set');
    expect(code(() => silo.mask([0, 0, 1, 2], right, words))).toBe('wrong-set');
    expect(code(() => silo.mask([0, 1], right, words))).toBe('few-survivors');
    silo.mask([0, 1, 2, 3], right, words);
    expect(code(() => silo.mask([0, 1, 2, 3], right, words))).toBe('wrong-set');
    expect(code(() => silo.sign([1, 2, 3]))).toBe('wrong-set');
    expect(code(() => silo.sign([0, 1]))).toBe('few-survivors');
    expect(code(() => silo.reveal([]))).toBe('wrong-set');
  });

  it('to sign two sets of one round, in one attempt or in two', async () => {
    const signed = identities.slice(0, 4).map(() => signedRounds());
    const first = await withMasks({ parameters, signed });
    first.silos[0].sign([0, 1, 2]);
    expect(code(() => first.silos[0].sign([0, 1, 2, 3]))).toBe('signed-before');
    const again = await withMasks({ parameters, signed, at: { ...name, attempt: 1 } });
    expect(code(() => again.silos[0].sign([0, 1, 2]))).toBe('signed-before');
    const next = await withMasks({ parameters, signed, at: { ...name, round: 4 } });
    expect(code(() => next.silos[0].sign([0, 1, 2]))).toBe('nothing was refused');
  });

  it('to reveal anything twice, or one more share of a silo', async () => {
    const { silos } = await withMasks({ parameters });
    const signatures = silos.map((silo, i) => (i < 3 ? silo.sign([0, 1, 2]) : null));
    const shares = silos[0].reveal(signatures);
    expect(shares.map(({ of, secret }) => [of, secret])).toStrictEqual([
      [0, 'mask'],
      [1, 'mask'],
      [2, 'mask'],
      [3, 'key'],
    ]);
    expect(code(() => silos[0].reveal(signatures))).toBe('wrong-set');
    // Signatures of silos that are not in the set do not count, nor one silo's twice.
    expect(code(() => silos[1].reveal([signatures[0], signatures[0], signatures[0], null]))).toBe(
      'few-signatures',
    );
  });
});

describe('noise of a sum', () => {
  const variance = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value ** 2, 0) / values.length;
  const drawn = (shares: number, scale: number, random: RandomSource): number[] => {
    const values = new Float64Array(4000);
    for (let k = 0; k < shares; k++) skellam.addNoise({ leastScale: 1 }, values, scale, random.fork(k));
    return [...values];
  };

  it('is that of the plan from H shares on, which shares of σ²/M are not', () => {
    const parameters = sumParameters({ silos: 10, corrupted: 2 });
    expect(parameters).toMatchObject({ threshold: 7, survivors: 7, honest: 5 });
    const deviation = 40;
    const share = noiseShare(parameters, deviation);
    expect(share ** 2 * parameters.honest).toBeCloseTo(deviation ** 2, 9);
    const random = seededRandom('shares');
    // A standard error of the variance is 2.2 %.
    expect(variance(drawn(parameters.honest, share, random.fork('right'))) / deviation ** 2).toBeGreaterThan(
      0.9,
    );
    const wrong = deviation / Math.sqrt(parameters.silos);
    expect(variance(drawn(parameters.honest, wrong, random.fork('wrong'))) / deviation ** 2).toBeLessThan(
      0.6,
    );
  });

  it('has the factors of the table in the specification', () => {
    for (const [silos, corrupted, survivors, threshold, honest, factor] of [
      [3, 1, 3, 3, 2, 1.22],
      [4, 1, 3, 3, 2, 1.41],
      [4, 1, 4, 3, 3, 1.15],
      [16, 3, 10, 10, 7, 1.51],
      [16, 3, 14, 10, 11, 1.21],
      [64, 10, 38, 38, 28, 1.51],
      [64, 10, 58, 38, 48, 1.15],
    ]) {
      const parameters = sumParameters({ silos, corrupted, survivors });
      expect(parameters).toMatchObject({ threshold, honest });
      expect(noiseExcess(parameters)).toBeCloseTo(factor, 2);
    }
    // With all others corrupted the noise is the untrusted server's.
    expect(sumParameters({ silos: 5, corrupted: 4 })).toMatchObject({
      threshold: 5,
      survivors: 5,
      honest: 1,
    });
  });

  it('fits the words that travel, and the whole radius of a record', () => {
    const parameters = sumParameters({ silos: 16, corrupted: 3 });
    expect(wordWidth(parameters, 2 ** 30, 1)).toBe(32);
    expect(wordWidth(parameters, 2 ** 31, 1)).toBe(64);
    expect(wordWidth(parameters, 2 ** 30, 2 ** 29)).toBe(64);
    expect(wholeRadius(3, 0.25)).toBe(12);
    expect(wholeRadius(1, 0.3)).toBe(Math.sqrt(11));
    expect(noiseForLevel(12, 64, 0.5)).toBe(384);
  });

  it('is refused for numbers that make no sum', () => {
    for (const given of [
      { silos: 1, corrupted: 0 },
      { silos: 4, corrupted: 4 },
      { silos: 4, corrupted: -1 },
      { silos: 4, corrupted: 1, survivors: 2 },
      { silos: 4, corrupted: 1, survivors: 5 },
      { silos: 300, corrupted: 0 },
    ])
      expect(() => sumParameters(given)).toThrow(/silos/u);
  });
});
