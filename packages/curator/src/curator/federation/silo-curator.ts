import {
  domainAt,
  type Answered,
  type Query,
  type Registry,
  type TrustModel,
  type Vector,
} from '@lethe/core';
import { copyAnswer, createIntake, isAnswer } from '@lethe/core/internal';
import {
  allFinite,
  arrayKind,
  assertOptions,
  Corrupt,
  defined,
  type Domain,
  encode,
  InvalidParameter,
  type RandomSource,
  sameBytes,
  Unsupported,
} from '@lethe/numerics';
import { centralCurator } from '../central.js';
import type { DataSet } from '../data-set.js';
import type { CuratorOptions, OpenCurator } from '../open-curator.js';
import { agreedPart, type AgreedPart, type Agreement } from './agreement.js';
import { expectedQueries } from './expected-queries.js';
import { pointsOf } from './held-query.js';
import { addendSilo, type OpenAddendSilo } from './addend-silo.js';
import { rawSilo, type OpenRawSilo } from './raw-silo.js';

/** Where a silo is in a run. Secret: `sum` has its noise, but answers are for the server alone. */
export interface SiloPlace {
  /** Number of the last query, in the server's count. */
  readonly index: number;
  /** Queries that the silo has answered, this one included. */
  readonly answered: number;
  /** Newest point of the last query about points. */
  readonly point: Vector | null;
  /** Points of the last query. */
  readonly points: readonly Vector[];
  /** Sum of the silo's increments so far: the noisy prefix that its last answer makes known. */
  readonly sum: Vector | null;
  readonly digest: string;
}

/** A silo's data, and what it agreed to. */
export interface SiloCuratorOptions {
  readonly data: DataSet;
  /** The silo's own plugins, the optimizer among them. */
  readonly registry: Registry;
  readonly agreement: Agreement;
  /** Which silo of the agreement this is, from 0. */
  readonly silo: number;
  /** Root of the silo's randomness. @defaultValue `secureRandom()` */
  readonly random?: RandomSource;
  /** Where the silo was, as {@link SiloCurator.place} said after its last answer; of a new run left out. */
  readonly place?: SiloPlace | undefined;
  /** Told of what a server with a bug would do; privacy does not rest on it. */
  readonly warn?: (warning: string) => void;
}

/** What a silo that holds the server to an agreement has, whether its answers are private or not. */
export interface HeldSilo {
  readonly part: AgreedPart;
  /** To be stored before the last answer is sent; `null` before the first. */
  place(): SiloPlace | null;
  /**
   * Whether query number `index`, which was not answered yet, is about the point before as well, which is
   * neither given nor known here, as where {@link SiloPlace.point} was not stored.
   */
  lacksPoint(index: number, points: readonly Vector[]): boolean;
}

/** The curator of a silo that holds the server to an agreement. */
export interface SiloCurator extends OpenCurator, HeldSilo {
  /**
   * Answers the agreed query number `index`, which may be beyond the next one: rounds between are missed, and
   * their records are not used.
   *
   * @param points - As in {@link pointsOf}: none for queries about no point; the newest one alone where the
   * point before is that of the silo's last answer.
   */
  answerAt(index: number, points: readonly Vector[]): Answered;
}

/** The same of a silo that trusts its server with sums. */
export interface HeldRawSilo extends OpenRawSilo, HeldSilo {
  /** As {@link SiloCurator.answerAt}, without noise. */
  sumAt(index: number, points: readonly Vector[]): Answered;
}

/** The same of a silo whose increments go into secure sums. */
export interface HeldAddendSilo extends OpenAddendSilo, HeldSilo {
  /** Whether query number `index` of the plan is answered by a sum alone; asked in order. */
  isSummed(index: number): boolean;
  /**
   * As {@link SiloCurator.answerAt}, of queries that no sum answers.
   *
   * @throws {Unsupported} for an increment, which is private within a sum alone.
   */
  answerAt(index: number, points: readonly Vector[]): Answered;
  /**
   * The silo's running sum after the increment number `index`, in whole steps of the grid with its share of
   * noise; asked again about the same points, the same. For a secure sum alone.
   *
   * @throws {Unsupported} for other queries.
   */
  addendAt(index: number, points: readonly Vector[]): { readonly addend: Vector; readonly digest: string };
}

/**
 * A silo's own curator, held to an agreement: it opens the agreed run on the silo's ledger, with the event
 * that the silo works out for itself set aside, and answers the queries of the agreed plan alone, in their
 * order. Only points are the server's to choose. A query that was answered is answered again with the same
 * words, and never otherwise.
 *
 * Privacy of the silo's records rests on this and on nobody else: whatever the server sends, the run costs
 * the event of {@link AgreedPart}.
 *
 * @throws {InvalidParameter} for data of another size or adjacency than the agreement says, and for a server
 * that the agreement trusts.
 * @throws {BudgetExceeded} when the event does not fit the ledger's limit; nothing is written.
 * @throws as `agreedPart`.
 */
export function siloCurator(options: SiloCuratorOptions): SiloCurator {
  assertOptions(options, 'siloCurator');
  const own = { ...options };
  const { part, opening } = opened(own, 'untrusted');
  const curator = centralCurator(opening);
  const held = heldTo(own, part, (index, query) => curator.answer(index, query));
  return {
    ...curator,
    facts: Object.freeze({ ...curator.facts, gaps: true }),
    part,
    place: held.place,
    lacksPoint: held.lacksPoint,
    answer: held.ask,
    answerAt: held.askAt,
    replay: held.replay,
  };
}

/**
 * {@link siloCurator} for an agreement whose server is trusted with sums, as {@link rawSilo} answers them.
 * The silo holds the server to the plan all the same.
 *
 * @throws as {@link siloCurator}, for a server that the agreement does not trust.
 */
export function heldRawSilo(options: SiloCuratorOptions): HeldRawSilo {
  assertOptions(options, 'heldRawSilo');
  const own = { ...options };
  const { part, opening } = opened(own, 'trusted');
  const { trust } = part.run.problem;
  const silos = trust.model === 'federated' ? trust : { silos: 1, weights: undefined };
  const raw = rawSilo({
    ...opening,
    silos: silos.silos,
    ...(silos.weights === undefined ? {} : { weights: silos.weights }),
  });
  const held = heldTo(own, part, (index, query) => raw.sumFor(index, query));
  return {
    ...raw,
    facts: Object.freeze({ ...raw.facts, gaps: true }),
    part,
    place: held.place,
    lacksPoint: held.lacksPoint,
    sumFor: held.ask,
    sumAt: held.askAt,
    replay: held.replay,
  };
}

/**
 * {@link siloCurator} for an agreement whose increments go into secure sums, as {@link addendSilo} answers
 * them.
 *
 * @throws as {@link siloCurator}, for an agreement without secure sums.
 */
export function heldAddendSilo(options: SiloCuratorOptions): HeldAddendSilo {
  assertOptions(options, 'heldAddendSilo');
  const own = { ...options };
  const { part, opening } = opened(own, 'secure');
  const { trust } = part.run.problem;
  if (trust.model !== 'secure-aggregation')
    throw new InvalidParameter('the agreement has no secure sums', { trust: trust.model });
  const { silos, corrupted, survivors } = trust;
  const silo = addendSilo({ ...opening, silos, corrupted, survivors });
  const held = heldTo(own, part, (index, query) => silo.addendFor(index, query));
  const assertSummed = (index: number, isSummed: boolean): void => {
    if (held.isPush(index) === isSummed) return;
    throw new Unsupported(
      isSummed
        ? `query ${index} of the plan is no increment, so that no sum answers it`
        : `query ${index} of the plan is an increment, which leaves a silo within a secure sum alone`,
      { index },
    );
  };
  return {
    ...silo,
    facts: Object.freeze({ ...silo.facts, gaps: true }),
    part,
    place: held.place,
    lacksPoint: held.lacksPoint,
    addendFor: held.ask,
    isSummed: (index) => held.isPush(index),
    answerAt(index, points) {
      assertSummed(index, false);
      return held.askAt(index, points);
    },
    addendAt(index, points) {
      assertSummed(index, true);
      const { digest } = held.askAt(index, points);
      return { addend: defined(defined(held.place()).sum).slice(), digest };
    },
    replay: held.replay,
  };
}

/** Checks agreement and data, and says what the silo's curator is made with. */
function opened(
  { data, registry, agreement, silo, random }: SiloCuratorOptions,
  server: keyof typeof openers,
): { readonly part: AgreedPart; readonly opening: CuratorOptions } {
  const part = agreedPart(agreement, silo, registry);
  const { problem } = part.run;
  const agreed = serverOf(problem.trust);
  if (agreed !== server)
    throw new InvalidParameter(`the agreement ${openers[agreed]}`, { trust: problem.trust });
  assertData(data, part, silo);
  const opening: CuratorOptions = {
    data,
    registry,
    run: agreement.run,
    planned: part.event,
    ...(random === undefined ? {} : { random }),
    ...(problem.adjacency === 'add-remove' ? { publicSlots: part.slots } : {}),
  };
  return { part, opening };
}

/** How silos are opened, by what the agreement says of its server. */
const openers = {
  untrusted: 'has a server that is not trusted; open it by siloCurator',
  trusted: 'has a server that is trusted with sums; open it by heldRawSilo, if its owner agrees',
  secure: 'has secure sums; open it by heldAddendSilo',
} as const;

/** What an agreement says of its server. */
function serverOf(trust: TrustModel): keyof typeof openers {
  if (trust.model === 'secure-aggregation') return 'secure';
  return trust.model === 'federated' ? trust.server : 'untrusted';
}

interface Held extends Pick<HeldSilo, 'place' | 'lacksPoint'> {
  ask(index: number, posed: Query): Answered;
  askAt(index: number, points: readonly Vector[]): Answered;
  isPush(index: number): boolean;
  replay(index: number, query: Query, digest: string): void;
}

function heldTo(
  { registry, agreement, silo, warn, place: given }: SiloCuratorOptions,
  part: AgreedPart,
  answer: (index: number, query: Query) => Answered,
): Held {
  const { problem } = part.run;
  const domain = domainAt(registry, problem.domain, problem.dimension);
  const expected = expectedQueries(agreement, part, silo, registry);
  const take = createIntake();
  let place: SiloPlace | null = given ?? null;
  let last: Said | undefined;

  /** @param points - Copies of the silo's own, which its place keeps. */
  const ask = (index: number, points: readonly Vector[], query: Query | null): Answered => {
    assertIndex(index, place);
    if (place !== null && index === place.index) {
      // Asked again: the same words for the same points.
      if (!sameBytes(encode(place.points), encode(points))) refuseOther(agreement.run, index);
      if (last !== undefined) return told(last);
    }
    assertPoints(points, domain);
    const again = place !== null && index === place.index;
    const own = expected.at(index, points);
    if (query !== null && !sameBytes(encode(query), encode(own)))
      throw new InvalidParameter(
        `query ${index} of run '${agreement.run}' is not that of the agreed plan, at points of the ` +
          "server's choice",
        { index },
      );
    if (warn !== undefined) warnOfReach(own, domain, warn);
    const inner = again ? defined(place).answered - 1 : (place?.answered ?? 0);
    const said = answer(inner, own);
    if (!again) place = after(place, { index, points, query: own, said });
    last = { query: own, said };
    return told(last);
  };
  return {
    place: () => place,
    isPush: (index) => expected.isPush(index),
    lacksPoint: (index, points) =>
      points.length === 1 && (place?.point ?? null) === null && expected.pointsAt(index) === 2,
    ask(index, posed) {
      const { query } = take(posed);
      const points = pointsOf(query);
      assertBefore(index, points, place);
      return ask(
        index,
        points.map((point) => point.slice()),
        query,
      );
    },
    askAt(index, sent) {
      // Arrays of the caller's may have methods of their own, which are not asked.
      const points = Array.from(sent, ownPoint);
      const [newest] = points;
      const before = place?.point ?? null;
      if (place !== null && index === place.index) {
        const isShort = points.length < place.points.length;
        return ask(index, isShort ? [newest, ...place.points.slice(1)] : points, null);
      }
      assertIndex(index, place);
      const isNext = place === null || index === place.index + 1;
      const lacks = points.length === 1 && before !== null && isNext && expected.pointsAt(index) === 2;
      const whole = lacks ? [newest, before] : points;
      assertBefore(index, whole, place);
      return ask(index, whole, null);
    },
    replay(index, _query, digest) {
      if (place === null || index > place.index)
        throw new Corrupt(
          `the server has an answer to query ${index} of run '${agreement.run}', and this silo has none: ` +
            'its place is older than the transcript. The run cannot go on.',
          { index },
        );
      if (index === place.index && digest !== place.digest) refuseOther(agreement.run, index);
    },
  };
}

interface Said {
  readonly query: Query;
  readonly said: Answered;
}
/** An answer to give away. */
const told = ({ query, said }: Said): Answered => ({
  ...said,
  answer: isAnswer(query, said.answer) ? copyAnswer(query, said.answer) : said.answer,
});

function after(
  place: SiloPlace | null,
  {
    index,
    points,
    query,
    said,
  }: {
    readonly index: number;
    readonly points: readonly Vector[];
    readonly query: Query;
    readonly said: Answered;
  },
): SiloPlace {
  const isIncrement = query.ask === 'push' && isAnswer(query, said.answer);
  const increment = isIncrement ? (said.answer as Vector) : null;
  const before = place?.sum ?? null;
  const sum = increment === null ? before : sumOf(before, increment);
  return Object.freeze({
    index,
    answered: (place?.answered ?? 0) + 1,
    point: points[0] ?? place?.point ?? null,
    points,
    sum,
    digest: said.digest,
  });
}

/** A copy of a vector; what is none is refused by {@link assertPoints}. */
const ownPoint = (point: Vector): Vector =>
  arrayKind(point) === 'Float64Array' ? new Float64Array(point) : point;

/** The sum of a stream's answers so far. */
function sumOf(before: Vector | null, increment: Vector): Vector {
  const sum = before === null ? new Float64Array(increment.length) : before.slice();
  for (let j = 0; j < sum.length; j++) sum[j] += increment[j];
  return sum;
}

function assertData(
  { slots, ledger, dimension, loss: own, unit: protects }: DataSet,
  { run, slots: agreed }: AgreedPart,
  silo: number,
): void {
  const { adjacency, dimension: length, loss } = run.problem;
  if (ledger.adjacency !== adjacency)
    throw new InvalidParameter(
      `the agreement is about ${adjacency}, and the ledger of these data about ${ledger.adjacency}`,
      { agreed: adjacency, ledger: ledger.adjacency },
    );
  const { unit = 'record' } = run.problem;
  if (protects !== unit)
    throw new InvalidParameter(
      `the agreement protects one ${unit}, and these data were attached by ${protects}`,
      { agreed: unit, unit: protects },
    );
  if (adjacency !== 'add-remove' && slots !== agreed)
    throw new InvalidParameter(
      `the agreement says that silo ${silo} has ${agreed} records, and these data have ${slots}`,
      { agreed, slots },
    );
  if (
    own.plugin.name !== loss.name ||
    !sameBytes(encode(own.params), encode(own.plugin.params.parse(loss.params)))
  )
    throw new InvalidParameter(
      `the agreement is about the loss '${loss.name}' with other parameters than these data were ` +
        `attached with, or about another loss than '${own.plugin.name}'`,
      { agreed: loss.name, loss: own.plugin.name },
    );
  if (dimension !== length)
    throw new InvalidParameter(
      `points of the agreement have ${length} entries, and those of the loss '${loss.name}' on these ` +
        `data ${dimension}`,
      { agreed: length, dimension },
    );
}

function assertIndex(index: number, place: SiloPlace | null): void {
  if (!Number.isSafeInteger(index) || index < 0)
    throw new InvalidParameter(`query number ${String(index)} was asked; queries are counted from 0`, {});
  if (place !== null && index < place.index)
    throw new Corrupt(
      `query ${index} was asked again, and this silo is at query ${place.index}: it answers in order, once`,
      { index, at: place.index },
    );
}

function refuseOther(run: string, index: number): never {
  throw new Corrupt(
    `query ${index} of run '${run}' was answered about other points; nothing is answered twice differently`,
    { index },
  );
}

/** Where no round was missed, the older point is the newest of the last query. */
function assertBefore(index: number, points: readonly Vector[], place: SiloPlace | null): void {
  const isNext = place !== null && index === place.index + 1;
  const before = place?.point ?? null;
  if (!isNext || before === null || points.length < 2) return;
  if (points[1] === before || sameBytes(encode(points[1]), encode(before))) return;
  throw new InvalidParameter(`the older point of query ${index} is not the point of query ${index - 1}`, {
    index,
  });
}

/** Rounding of a server that projects in another order. */
const slack = 2 ** -40;

/** Points have to be vectors of the domain; others are a server's mistake. */
function assertPoints(points: readonly Vector[], domain: Domain): void {
  for (const point of points) {
    if (!(point instanceof Float64Array) || point.length !== domain.dimension || !allFinite(point))
      throw new InvalidParameter(
        `a point of the agreed run has ${domain.dimension} finite numbers; nothing was answered`,
        { dimension: domain.dimension },
      );
    const tolerance = domain.diameter < Infinity ? slack * domain.diameter : 0;
    if (!domain.contains(point, tolerance))
      throw new InvalidParameter(
        `a point outside the domain '${domain.name}' was sent; nothing was answered`,
        { domain: domain.name },
      );
  }
}

/** Averages of iterates of a domain of diameter D move by `2D/(t + 1)` in round t at most. */
function warnOfReach(query: Query, { diameter }: Domain, warn: (warning: string) => void): void {
  if (query.ask !== 'push' || query.of.terms.length !== 2 || !(diameter < Infinity)) return;
  const [{ at, weight }, { at: before }] = query.of.terms;
  const moved = Math.hypot(...at.map((one, j) => one - before[j]));
  const most = (2 * diameter * (1 + slack)) / (weight + 1);
  if (moved > most)
    warn(
      `the server moved by ${moved} in round ${weight}, where averages of iterates move by ${most} at most`,
    );
}
