import { lawsFor, type PlannedCheck, type SubjectKind } from '@lethe/laws';

/** What a suite leaves to the night, beside parts of later examples. */
export interface LeftToNight {
  /** Laws that are tried under one adjacency of each subject, in turn: it changes scales and sizes alone. */
  readonly alike?: readonly string[];
  /** Subjects that are tried under one adjacency, and by half of the laws that sample, in turn. */
  readonly further?: readonly string[];
  /** Subjects on which laws that sample are left to the night: their draws take long. */
  readonly unsampled?: readonly string[];
}

/**
 * The checks of one subject after the other that a day makes. The first example of a plugin is tried in full.
 * Each other one is tried under one adjacency, and by half of the laws, in turn.
 */
export function byDay(
  kind: SubjectKind,
  { alike = [], further = [], unsampled = [] }: LeftToNight,
): (planned: readonly PlannedCheck[]) => readonly PlannedCheck[] {
  const laws = lawsFor(kind);
  const sampling = laws.flatMap(({ id, tier }) => (tier === 'statistical' ? [String(id)] : []));
  const inTurn = [...sampling, ...laws.map(({ id }) => String(id)).filter((id) => !sampling.includes(id))];
  let turn = 0;
  return (planned) => {
    const place = turn++;
    const cells = new Map<string, PlannedCheck[]>();
    for (const check of planned) cells.set(cellOf(check), [...(cells.get(cellOf(check)) ?? []), check]);
    return planned.filter((check) => {
      const [law, name] = [String(check.law.id), check.subject.name];
      if (unsampled.includes(name) && sampling.includes(law)) return false;
      const number = further.includes(name) ? 2 + place : Number(/#(\d+)/u.exec(name)?.[1] ?? 1);
      if (number === 1 && !alike.includes(law)) return true;
      const halved = further.includes(name) ? sampling : inTurn;
      if (number > 1 && halved.includes(law) && (halved.indexOf(law) + number) % 2 === 1) return false;
      const under = cells.get(cellOf(check)) ?? [check];
      return under[place % under.length] === check;
    });
  };
}

/** A cell whatever its adjacency. */
const cellOf = ({ law, cell: { name, adjacency } }: PlannedCheck): string =>
  `${law.id} ${adjacency === undefined ? name : name.replace(adjacency, '')}`;
