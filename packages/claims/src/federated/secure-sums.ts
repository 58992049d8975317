import { repeatedEvent, sameEvent, seededRandom, type Vector } from '@lethe/core';
import { defineClaimCheck, judge, type ClaimCheck, type Violation } from '@lethe/laws';
import {
  skellam,
  type SumMasks,
  type SumParameters,
  type SurvivorRules,
  type Width,
  type Words,
} from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import { driveSilos, sumsOf, wholeScript, privateRun, type Silos } from './silo-runs.js';
import { each } from '../common/each.js';
import { above, differs, first } from '../common/judging.js';
import { squaredNorm } from '../common/vectors.js';
import type { FederatedSubject } from './subject.js';

const length = 3;
const valuesOf = (silo: number): Vector =>
  Float64Array.from({ length }, (_, j) => (silo + 1) * 1000 * (j === 1 ? -1 : 1) + j);

/** Parts of a list, in its order. */
const subsets = (all: readonly number[]): readonly (readonly number[])[] =>
  each(2 ** all.length, (bits) => all.filter((_, i) => Math.floor(bits / 2 ** i) % 2 === 1));

/** All silos and numbers of corrupted ones, up to so many silos. */
const sizesTo = (most: number): readonly { readonly silos: number; readonly corrupted: number }[] =>
  each(most - 1, (i) => i + 2).flatMap((silos) => each(silos, (corrupted) => ({ silos, corrupted })));

/** Who takes part in an attempt, and who is said to be left. */
interface Told {
  readonly attempt: number;
  readonly members: readonly number[];
  readonly survivors: readonly number[];
}
/** What one silo does if it is told so. */
interface Option {
  readonly told: string;
  readonly survivors: readonly number[];
  readonly rules: SurvivorRules;
}

/** Rows 73 to 75: sums under masks, servers that lie about who is left, and shares of noise. */
export function secureSumChecks(subject: FederatedSubject): readonly ClaimCheck[] {
  const {
    liftedWords,
    maskedWords,
    noiseForLevel,
    noiseShare,
    sumParameters,
    survivorRules,
    unmaskedSum,
    wordsOf,
  } = subject;
  const masksOf = (name: string, width: Width): SumMasks => {
    const drawn = (label: string): Words => {
      const random = seededRandom(`${name}/${label}`);
      const half = (): number => Math.floor(random.uniform() * 2 ** 32);
      return width === 32
        ? Uint32Array.from({ length }, half)
        : BigUint64Array.from(each(length, () => BigInt(half()) * 2n ** 32n + BigInt(half())));
    };
    return {
      own: (silo) => drawn(`own ${silo}`),
      pair: (one, other) => drawn(`pair ${Math.min(one, other)} ${Math.max(one, other)}`),
    };
  };
  /** What a silo may be told without refusing it, in so many attempts. */
  const optionsOf = (parameters: SumParameters, own: number, attempts: number): readonly Option[] => {
    const all = each(parameters.silos, (i) => i);
    const told: readonly Told[] = each(attempts, (attempt) =>
      subsets(all).flatMap((members) =>
        subsets(members).map((survivors): Told => ({ attempt, members, survivors })),
      ),
    ).flat();
    return told.flatMap(({ attempt, members, survivors }) => {
      const rules = survivorRules(parameters, own);
      if (rules.join(members) !== null || rules.sign(survivors) !== null) return [];
      return [{ told: JSON.stringify([attempt, members, survivors]), survivors, rules }];
    });
  };
  /** What the worst server gets of these silos, each told another thing: the first that it should not. */
  const hostile = (
    parameters: SumParameters,
    attempts: number,
  ): { readonly found?: Violation; tried: number } => {
    const { silos, corrupted, threshold, survivors: least } = parameters;
    const honest = each(silos - corrupted, (i) => i);
    const liars = each(corrupted, (i) => silos - 1 - i);
    const options = honest.map((own) => optionsOf(parameters, own, attempts));
    const count = options.reduce((product, one) => product * one.length, 1);
    for (let choice = 0; choice < count; choice++) {
      let rest = choice;
      const chosen = options.map((one) => {
        const option = one[rest % one.length];
        rest = Math.floor(rest / one.length);
        return option;
      });
      const signers = new Map<string, number[]>();
      chosen.forEach(({ told }, silo) => signers.set(told, [...(signers.get(told) ?? []), silo]));
      const decoded = new Map<string, number>();
      const out = {
        mask: each(silos, () => corrupted) as number[],
        key: each(silos, () => corrupted) as number[],
      };
      for (const { told, survivors, rules } of chosen) {
        const signed = [...defined(signers.get(told)), ...liars.filter((liar) => survivors.includes(liar))];
        const given = rules.reveal(signed);
        if ('code' in given) continue;
        decoded.set(told, survivors.length);
        for (const { of, secret } of given) out[secret][of] += 1;
      }
      const both = each(silos, (of) => Math.min(out.mask[of], out.key[of])).reduce(
        (a, b) => Math.max(a, b),
        0,
      );
      const who = `${silos} silos, ${corrupted} corrupted`;
      const found =
        above(`sets that are decoded of ${who}`, decoded.size, 1, 0) ??
        above(`shares of both secrets of one of ${who}`, both, threshold - 1, 0) ??
        [...decoded.values()].map((size) => above(`silos missing in a sum of ${who}`, least - size, 0, 0))[0];
      if (found !== undefined) return { found, tried: choice + 1 };
    }
    return { tried: count };
  };

  return [
    defineClaimCheck({
      id: 'reshef-levy/masked-sums',
      tier: 'exact',
      statement:
        'the unmasked sum is that of the survivors, for up to 5 silos, all corrupted numbers, members and ' +
        'survivors, in words of 32 and 64 bits; lists below the least number are refused',
      power: 'masks of pairs that are added on both sides',
      run() {
        let tried = 0;
        let found: Violation | undefined;
        for (const [k, given] of sizesTo(5).entries()) {
          const parameters = sumParameters(given);
          const all = each(given.silos, (i) => i);
          const width = k % 2 === 0 ? 32 : 64;
          const masks = masksOf(`${k}`, width);
          for (const members of subsets(all))
            for (const survivors of subsets(members)) {
              if (survivors.length === 0) continue;
              const rules = survivorRules(parameters, survivors[0]);
              const isTaken = rules.join(members) === null && rules.sign(survivors) === null;
              const isEnough = survivors.length >= parameters.survivors;
              tried += 1;
              if (isTaken !== isEnough)
                found ??= above(
                  `the step with ${survivors.length} silos`,
                  Number(isTaken),
                  Number(isEnough),
                  -1,
                );
              if (!isEnough) continue;
              const sent = survivors.map((silo) =>
                maskedWords(wordsOf(valuesOf(silo), width), { silo, members, masks }),
              );
              const sum = liftedWords(unmaskedSum(sent, { members, survivors, masks }));
              const wanted = survivors.reduce((total, silo) => total + valuesOf(silo)[1], 0);
              const far = Math.abs(sum[1] - wanted);
              found ??= above(`a sum of ${survivors.length} of ${members.length}, apart`, far, 0, 0);
            }
        }
        return judge(tried, found);
      },
    }),
    defineClaimCheck({
      id: 'reshef-levy/one-set',
      tier: 'exact',
      statement:
        'with 2t > M + C, whatever lists a server shows each silo, in one attempt or two, one set ' +
        'at most is ' +
        'decoded, of m silos at least, and of no silo are t shares of both secrets out; without ' +
        'signatures 4 ' +
        'of 10 silos would be decoded at t = 6',
      power: 'a threshold that does not count corrupted silos',
      run() {
        const cases = [
          ...sizesTo(4).map((given) => ({ given, attempts: given.silos < 4 ? 2 : 1 })),
          { given: { silos: 5, corrupted: 2 }, attempts: 1 },
        ];
        let tried = 0;
        let found: Violation | undefined;
        for (const { given, attempts } of cases) {
          const one = hostile(sumParameters(given), attempts);
          tried += one.tried;
          found ??= one.found;
        }
        const parameters = sumParameters({ silos: 10, corrupted: 0 });
        const all = each(10, (i) => i);
        const common = all.slice(0, 4);
        // 4 common silos, and 2 of the other 6 in turn.
        const shown = each(10, (i) => (i < 4 ? [4 + i, 4 + ((i + 1) % 6)] : [i, 4 + ((i - 3) % 6)])).map(
          (two) => [...common, ...two].toSorted((a, b) => a - b),
        );
        const masks = all.map((of) => shown.filter((list) => list.includes(of)).length);
        const isDecoded = all.every((of) => (of < 4 ? masks[of] : 10 - masks[of]) >= parameters.threshold);
        found ??= above('lists that decode 4 of 10 without signatures', Number(!isDecoded), 0, 0);
        const revealed = all.filter((own) => {
          const rules = survivorRules(parameters, own);
          rules.join(all);
          rules.sign(shown[own]);
          const signers = all.filter((silo) => String(shown[silo]) === String(shown[own]));
          return !('code' in rules.reveal(signers));
        });
        return judge(tried, found ?? above('silos that reveal shares for such lists', revealed.length, 0, 0));
      },
    }),
    defineClaimCheck({
      id: 'reshef-levy/noise-shares',
      tier: 'statistical',
      statement:
        'H shares of deviation σ_Z/√H add up to Skellam noise of variance σ_Z² = (2k)²T/μ², for up ' +
        'to 64 silos; a ' +
        'stream of whole numbers with noise of that scale on each of its T sums is charged T ' +
        'Skellam releases',
      power: 'shares of variance σ_Z²/M, which leave H/M of the noise',
      run() {
        const [rounds, steps, level, wide] = [4, 64, 2, 1500];
        const deviation = noiseForLevel(steps, rounds, level);
        const small = [2, 3, 4, 10, 16, 64].flatMap((silos) =>
          [0, 1, Math.floor(silos / 3)].map((corrupted) => {
            const parameters = sumParameters({ silos, corrupted });
            const share = noiseShare(parameters, deviation);
            return above(`what H of ${silos} shares lack`, deviation ** 2, parameters.honest * share ** 2);
          }),
        );
        const parameters = sumParameters({ silos: 10, corrupted: 2 });
        const share = noiseShare(parameters, deviation);
        const drawn = new Float64Array(wide);
        for (let k = 0; k < parameters.honest; k++)
          skellam.addNoise({ leastScale: 1 }, drawn, share, seededRandom(`share ${k}`));
        const slack = 6 * Math.sqrt(2 / wide);
        const spacing = 2 ** -6;
        const silos: Silos = { dimension: wide, records: [each(rounds, () => each(wide, () => 0))] };
        const run = privateRun(subject, silos, { lipschitz: 2, smoothness: 1 }, { rounds });
        const path = driveSilos(subject, run, silos, {
          script: wholeScript(silos, {
            rounds,
            radius: steps * spacing,
            spacing,
            noiseMultiplier: 1 / level,
          }),
        });
        const noise = sumsOf(path.rounds.map(({ told }) => told));
        const spread = noise.reduce((sum, one) => sum + squaredNorm(one) / (wide * rounds), 0) / spacing ** 2;
        const [charged] = path.charged;
        const one = charged.kind === 'core/compose' ? charged : undefined;
        const wanted = repeatedEvent(
          skellam.event({ leastScale: 64 }, Math.sqrt(rounds) / level, {
            'replace-one': 1,
            'add-remove': 0.5,
            'zero-out': 0.5,
          }),
          rounds,
        );
        return judge(
          small.length + 3,
          first(
            ...small,
            differs('the variance of H shares', squaredNorm([...drawn]) / wide, deviation ** 2, slack),
            differs('the variance of noise on sums', spread, deviation ** 2, slack / Math.sqrt(rounds)),
            above('a charge of another event', one !== undefined && sameEvent(one, wanted) ? 0 : 1, 0, 0),
          ),
        );
      },
    }),
  ];
}
