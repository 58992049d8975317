import { lawsFor, type SubjectKind } from '@lethe/laws';
import type { Runner } from '@lethe/laws/vitest';

/** What a suite leaves to the night, beside parts of later examples. */
export interface LeftToNight {
  /** Laws that are tried under one adjacency of each subject, in turn: it changes scales and sizes alone. */
  readonly alike?: readonly string[];
  /** Subjects that are tried as later examples are. */
  readonly further?: readonly string[];
  /** Laws that are tried on half of the later examples, as those that sample are: they take long. */
  readonly long?: readonly string[];
  /** Subjects on which laws that sample are left to the night: their draws take long. */
  readonly unsampled?: readonly string[];
}

/** One test of a suite, before it is chosen. */
interface Planned {
  readonly title: string;
  readonly law: string;
  readonly declare: () => void;
}

const adjacency = /(?:add-remove|replace-one|zero-out)(?!.*(?:add-remove|replace-one|zero-out))/u;
const titleOfSuite = /^laws of (?<kind>\w+) (?<name>[^;]*)/u;
const example = /#(?<number>\d+)/u;

/**
 * A runner that leaves part of a suite to the night. The first example of a plugin is tried in full. Each
 * other one is tried under one adjacency, and by half of the laws that sample, in turn.
 */
export function byDay(
  runner: Runner,
  { alike = [], further = [], long = [], unsampled = [] }: LeftToNight,
): Runner {
  let turn = 0;
  let planned: Planned[] = [];
  return {
    ...runner,
    describe: (title, body) =>
      runner.describe(title, () => {
        planned = [];
        body();
        const { kind = '', name = '' } = titleOfSuite.exec(title)?.groups ?? {};
        const number = further.includes(name) ? 2 : Number(example.exec(name)?.groups?.['number'] ?? 1);
        const sampling = lawsFor(kind as SubjectKind)
          .filter(({ tier }) => tier === 'statistical')
          .map(({ id }) => String(id));
        const left = unsampled.includes(name) ? sampling : [];
        const suite = { number, alike, halved: [...sampling, ...long], turn: turn++ };
        const chosen = inTurn(
          planned.filter(({ law }) => !left.includes(law)),
          suite,
        );
        for (const { declare } of chosen) declare();
        for (const one of planned)
          if (!chosen.includes(one)) runner.note?.(`${one.title}: not checked (left to the night)`);
      }),
    it: (title, body, timeout) => {
      planned.push({
        title,
        law: title.split(' › ')[0],
        declare: () => void runner.it(title, body, timeout),
      });
    },
  };
}

/** The suite of one subject: the number of its example, and how many suites came before. */
interface Suite {
  readonly number: number;
  readonly alike: readonly string[];
  readonly halved: readonly string[];
  readonly turn: number;
}

function inTurn(planned: readonly Planned[], { number, alike, halved, turn }: Suite): readonly Planned[] {
  const cellOf = ({ title }: Planned): string => title.replace(adjacency, '');
  const cells = new Map<string, Planned[]>();
  for (const one of planned) cells.set(cellOf(one), [...(cells.get(cellOf(one)) ?? []), one]);
  return planned.filter((one) => {
    const { law } = one;
    if (number === 1 && !alike.includes(law)) return true;
    if (number > 1 && halved.includes(law) && (halved.indexOf(law) + number) % 2 === 1) return false;
    const under = cells.get(cellOf(one)) ?? [one];
    return under[turn % under.length] === one;
  });
}
