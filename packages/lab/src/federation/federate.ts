import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { bestOf, calibrator } from '@lethe/accountants';
import {
  Corrupt,
  defined,
  domainAt,
  drive,
  eventKindsOf,
  findPlugin,
  InvalidParameter,
  LetheError,
  resolvePlugin,
  sameEvent,
  secureRandom,
  Unsupported,
  type Curator,
  type Loss,
  type Optimizer,
  type Registry,
  type Run,
  type RandomSource,
  type Store,
  type TrustModel,
} from '@lethe/core';
import {
  agreedPart,
  agreementFor,
  federation,
  secureFederation,
  trustedFederation,
} from '@lethe/curator/federation';
import { randomFromKey } from '@lethe/numerics';
import {
  endAtSilo,
  meetSilo,
  isAggregatorTrusted,
  isSecure,
  natsPoints,
  pointsSubjectOf,
  networkSums,
  readPlan,
  refusalOf,
  remoteAddendSilo,
  remoteRawSilo,
  remoteSilo,
  sealedPlan,
  type Identity,
  type NatsConnection,
  type RefusalCode,
  type RemoteAddendSilo,
  type RemoteRawSilo,
  type RemoteSilo,
  type SealedPlan,
  type SiloIntroduction,
} from '@lethe/federation';
import { fileStore, makeFolder, writeWhole, type FileStore } from '@lethe/node';
import { accountantsIn } from '../plugins/accountants-in.js';
import { heldFilter } from '../run/held-filter.js';
import { isUnprotected } from '../run/unprotected.js';
import { environment } from '../run/environment.js';
import { publicProblem } from '../run/problem.js';
import { startOf } from '../run/start-of.js';
import type { Federation } from './federation-schema.js';
import type { FederationResult, SiloResult } from './federation-result.js';
import { clock, linkTo, timeOf, type NamedLink } from './silo-link.js';
import { modelOf } from './model-of.js';
import { ownerOf } from '../experiment/owner-of.js';
import { publicShape } from './public-shape.js';
import { wordsOf } from './words-of.js';
import { weightNames } from '../run/weight-names.js';

const transcriptName = 'transcript.lethe';
const pathsIn = (folder: string) => ({
  plan: join(folder, 'plan.lethe'),
  results: join(folder, 'results.json'),
  /** Why the run was ended before it had results. */
  ended: join(folder, 'ended.txt'),
});

/** Surroundings of a federated run. */
export interface FederateOptions {
  readonly registry: Registry;
  readonly identity: Identity;
  readonly connection: NatsConnection;
  readonly folder: string;
  readonly existing: 'refuse' | 'resume' | 'again';
  readonly command: string;
  readonly signal: AbortSignal;
  readonly hold: () => () => void;
  /** Told of each step, in a line. */
  readonly say: (text: string) => void;
  readonly progress: (done: number) => void;
  /** Writes `results.json` and what else is kept: before the silos are told that the run is over. */
  readonly keep: (result: FederationResult) => void;
}

/**
 * Meets the silos, proposes a plan, waits for their owners, and drives the run to its end. A silo that
 * refuses ends the run at all of them, so that none keeps its budget set aside. A run that is over is not
 * driven again: the silos that may not know are told.
 *
 * @returns `null` for a run that was finished before.
 * @throws the first refusal of a silo; {Unsupported} when one stays out of reach, and for a run that was
 * ended before; {Corrupt} for results that cannot be continued.
 */
export async function federate(
  experiment: Federation,
  options: FederateOptions,
): Promise<FederationResult | null> {
  const { folder, existing } = options;
  const paths = pathsIn(folder);
  const isBegun = existsSync(paths.plan);
  const why = existsSync(paths.ended) ? readFileSync(paths.ended, 'utf8') : null;
  if (isBegun && why === null && existing === 'refuse')
    throw new InvalidParameter(
      existsSync(paths.results)
        ? `${folder} holds a run that is finished; make another, charged separately, with --again: the ` +
            'results that are there are kept beside it'
        : `${folder} holds a run already; continue it with --resume, or make another, charged separately, ` +
            'with --again',
      { folder },
    );
  if (!isBegun && existing === 'resume')
    throw new InvalidParameter(`${folder} holds no run to continue; leave out --resume`, { folder });
  makeFolder(folder);
  if (existing !== 'resume' || (why === null && !existsSync(paths.results)))
    return await carriedOut(experiment, options);
  const sealed = planIn(paths.plan, experiment, options.identity);
  await endEverywhere(sealed, experiment, options, why ?? finished);
  if (why === null) return null;
  throw new Unsupported(`this run has ended (${why}); leave out --resume to make a new one`, { folder });
}

const finished = 'it is finished';

async function carriedOut(experiment: Federation, options: FederateOptions): Promise<FederationResult> {
  const { identity, folder, existing, signal, say } = options;
  const paths = pathsIn(folder);
  // Ends what is asked of other silos when one of them refuses.
  const over = new AbortController();
  const reach = { ...options, signal: AbortSignal.any([signal, over.signal]) };
  const points = natsPoints(options.connection, pointsSubjectOf(identity.public));
  const links = experiment.silos.map(({ name, key }) => linkTo(name, key, experiment, { ...reach, points }));
  let sealed: SealedPlan | null = null;
  let silos: readonly AnySilo[] = [];
  const letGo = options.hold();
  const opened: FileStore[] = [];
  const store = (name: string): FileStore => {
    const made = fileStore(join(folder, name));
    opened.push(made);
    return made;
  };
  const transcript = store(transcriptName);
  try {
    const before = existsSync(paths.plan) ? planOf(paths.plan, identity) : null;
    sealed =
      existing === 'resume'
        ? planIn(paths.plan, experiment, identity)
        : await planned(experiment, links, { ...options, before });
    if (existing !== 'resume') {
      if (before !== null && existsSync(paths.results)) setAside(folder, before.plan.agreement.run, say);
      transcript.truncate(0);
      rmSync(paths.results, { force: true });
      writeWhole(paths.plan, sealed.bytes);
      rmSync(paths.ended, { force: true });
    }
    const own = sealed;
    silos = await Promise.all(
      links.map(async (link, silo) => {
        say(`${link.name}: ${existing === 'resume' ? 'asked to go on' : 'waiting for its owner'}`);
        const remote = await reached(own, silo, link, store);
        say(`${link.name}: agreed`);
        return remote;
      }),
    );
    return await driven({ experiment, options, sealed, silos, transcript, store });
  } catch (error) {
    over.abort(new Error('the run is over'));
    const isBegun = existing === 'resume' || silos.length > 0;
    if (sealed === null || !isFinal(error, isBegun)) throw error;
    const why = error instanceof Error ? error.message : String(error);
    writeWhole(paths.ended, new TextEncoder().encode(why));
    say(why);
    await endEverywhere(sealed, experiment, options, why, silos);
    throw error;
  } finally {
    over.abort(new Error('the run is over'));
    for (const { close } of links) close();
    for (const one of opened) one.close();
    letGo();
  }
}

/** Files that a finished run leaves. */
const resultFiles = ['model.json', 'report.html', 'results.json'] as const;

/** Keeps the results of an earlier run in a folder of its own, before another takes their place. */
function setAside(folder: string, run: string, say: FederateOptions['say']): void {
  const kept = join(folder, `earlier-${run}`);
  makeFolder(kept);
  for (const name of resultFiles)
    if (existsSync(join(folder, name))) renameSync(join(folder, name), join(kept, name));
  say(`the results of the run before are kept in ${kept}`);
}

/** Refusals of single messages, which may have been damaged on their way. */
const ofMessages: ReadonlySet<string | undefined> = new Set<RefusalCode>([
  'malformed-frame',
  'wrong-tag',
  'wrong-run',
  'wrong-party',
  'wrong-kind',
  'wrong-length',
  // Its owner finds out why, and the run is resumed.
  'failed',
  'ledger-in-use',
]);
/** Whether a silo has said that the run cannot go on. Before the first answer any refusal says so. */
function isFinal(error: unknown, isBegun: boolean): boolean {
  const isOfSilo = error instanceof LetheError && 'silo' in error.details;
  const code = refusalOf(error);
  return isOfSilo && code !== undefined && (!isBegun || !ofMessages.has(code));
}

/** A run that all silos have agreed to. */
interface Agreed {
  readonly experiment: Federation;
  readonly options: FederateOptions;
  readonly sealed: SealedPlan;
  readonly silos: readonly AnySilo[];
  readonly transcript: Store;
  /** A store in the folder of the run, closed at its end. */
  readonly store: (name: string) => Store;
}

/** Drives a run to its end, keeps its results, and then tells the silos. */
async function driven(agreed: Agreed): Promise<FederationResult> {
  const { experiment, options, sealed, silos, transcript, store } = agreed;
  const { registry, signal } = options;
  const { agreement } = sealed.plan;
  const random = publicRandomOf(agreement.coins);
  const optimizer = findPlugin<Optimizer>(registry, 'optimizer', agreement.plan.optimizer);
  const run = optimizer.fromPlan({ plan: agreement.plan, registry, random, filter: heldFilter(registry) });
  const begun = clock();
  const lost: LostRounds = { silo: silos.map(() => 0), sums: 0 };
  const { output, queries, resumedAt } = await drive(
    run,
    joined(silos, sealed, { ...options, store, lost }),
    {
      start: Float64Array.from(agreement.start),
      random,
      transcript,
      signal,
      progress: ({ queries: done }) => options.progress(done),
    },
  );
  const seconds = clock() - begun;
  const done = { experiment, options, sealed, silos, run, output, queries, resumedAt, seconds, lost };
  const result = await resultOf(done);
  options.keep(result);
  await endEverywhere(sealed, experiment, options, finished, silos);
  return result;
}

/** A silo that agrees to the plan. */
function reached(
  sealed: SealedPlan,
  silo: number,
  { name, close: _close, ...link }: NamedLink,
  store: (name: string) => Store,
): Promise<AnySilo> {
  if (isSecure(sealed.plan)) return remoteAddendSilo(sealed, silo, link);
  const sums = sealed.plan.gaps ? { store: store(`${name}.sums`) } : {};
  const reach = isAggregatorTrusted(sealed.plan) ? remoteRawSilo : remoteSilo;
  return reach(sealed, silo, { ...link, ...sums });
}

/**
 * Tells all silos that the run of a plan is over. Those that were told before are gone perhaps: one that does
 * not answer soon hears of it when the server is resumed.
 */
async function endEverywhere(
  sealed: SealedPlan,
  experiment: Federation,
  options: FederateOptions,
  reason: string,
  silos: readonly AnySilo[] = [],
): Promise<void> {
  const patience = Math.min(lastPatience, experiment.patience);
  const soon = { ...experiment, deadline: Math.min(experiment.deadline, patience), patience };
  await Promise.all(
    experiment.silos.map(async ({ name, key }, i) => {
      const { close, ...link } = linkTo(name, key, soon, { ...options, say: () => undefined });
      try {
        await endAtSilo(sealed, name, link, reason, silos[i]?.recorded());
      } catch (error) {
        if (refusalOf(error) === 'ended') return;
        const why = error instanceof Error ? error.message : String(error);
        options.say(`${name}: was not told that the run is over (${why}); tell it by --resume`);
      } finally {
        close();
      }
    }),
  );
}
/** Seconds for which a silo is told that a run is over. */
const lastPatience = 5;

/** What a silo says of itself, before there is a plan. @throws {Unsupported} for one that does not answer. */
async function met(
  { name, close: _close, ...link }: NamedLink,
  { server, patience }: Federation,
): Promise<SiloIntroduction> {
  try {
    return await meetSilo(name, link);
  } catch (error) {
    // A refusal, or one that has met somebody of another version.
    if (!(error instanceof Unsupported) || refusalOf(error) !== undefined) throw error;
    throw new Unsupported(
      `silo '${name}' did not answer by ${server} within ${patience} s, so that no plan was made and ` +
        "nothing is spent. Its owner starts it by `lethe silo` with this server's key and this NATS " +
        'server; then run lethe federate again. How long it waits is patience in the experiment.',
      { silo: name, server, patience },
      { cause: error },
    );
  }
}

/** A plan for these silos, signed by nobody yet. */
async function planned(
  experiment: Federation,
  links: readonly NamedLink[],
  {
    registry,
    identity,
    say,
    before,
  }: Pick<FederateOptions, 'registry' | 'identity' | 'say'> & {
    /** The plan of an earlier run, which silos may take for unfinished. */
    readonly before: SealedPlan | null;
  },
): Promise<SealedPlan> {
  const { server, patience } = experiment;
  const until = timeOf(Date.now() + 1000 * patience);
  say(`waiting for ${links.map(({ name }) => name).join(', ')} by ${server}, until ${until}`);
  const silos = await Promise.all(
    links.map(async (named) => {
      const { name, close: _close, ...link } = named;
      const silo = await met(named, experiment);
      if (before !== null && silo.run === before.plan.agreement.run)
        await endAtSilo(before, name, link, 'its server begins another run');
      say(`${name}: ${silo.records.toLocaleString('en')} ${silo.unit === 'owner' ? 'owners' : 'records'}`);
      const wanted = ownerOf(experiment.problem);
      if ((wanted === undefined ? 'record' : 'owner') !== silo.unit)
        throw new InvalidParameter(
          wanted === undefined
            ? `silo '${name}' protects all that one owner has, and the experiment one record; give ` +
                'problem.data.owner'
            : `silo '${name}' protects one record, and the experiment all that one owner has; start the ` +
                `silo with --owner ${wanted.column}`,
          { silo: name },
        );
      if (silo.adjacency !== experiment.adjacency)
        throw new InvalidParameter(
          `silo '${name}' keeps its ledger for ${silo.adjacency}, and the experiment is for ` +
            `${experiment.adjacency}`,
          { silo: name },
        );
      return silo;
    }),
  );
  const { problem: spec, optimizer, budget, adjacency } = experiment;
  const shape = publicShape(spec);
  const owner = ownerOf(spec);
  const slots = silos.map(({ records }) => records);
  const { problem } = publicProblem(spec, {
    registry,
    adjacency,
    n: slots[0],
    ...shape,
    unit: owner && 'owner',
    trust: trustOf(experiment, slots.length),
  });
  const random = randomFromKey(secureRandom().key(), 'seeded');
  const run = findPlugin<Optimizer>(registry, 'optimizer', optimizer.name).prepare({
    registry,
    budget,
    params: optimizer.params,
    problem: { ...problem, slots },
    calibrate: calibrator(accountantsIn(registry), eventKindsOf(registry)),
    random,
    filter: heldFilter(registry),
  });
  if (isUnprotected(run.plan.event))
    throw new Unsupported(
      `optimizer '${optimizer.name}' releases without noise, so nothing about its run is private`,
      { optimizer: optimizer.name },
    );
  const start = startOf(
    resolvePlugin<Loss>(registry, problem.loss),
    shape.columns,
    domainAt(registry, problem.domain, problem.dimension),
  );
  const agreement = agreementFor(run, { name: randomBytes(16).toString('hex'), start, random });
  // What no silo can hold its server to is found before any is asked.
  agreedPart(agreement, 0, registry);
  return sealedPlan({
    format: 'lethe/federated-plan',
    v: 2,
    title: experiment.title,
    server: identity.public.text,
    silos: experiment.silos.map(({ name, key }) => ({ name, key })),
    ...(owner === undefined ? { unit: 'record' } : { unit: 'owner', cap: owner.most }),
    data: JSON.parse(JSON.stringify(spec)) as SealedPlan['plan']['data'],
    ...sumsOf(run, experiment.gaps),
    deadline: experiment.deadline,
    agreement,
  });
}

/** The trust model of so many silos. */
function trustOf({ trust }: Federation, silos: number): TrustModel {
  if (typeof trust === 'string') return { model: 'federated', silos, server: trust };
  const { model, corrupted, survivors = silos } = trust;
  return { model, silos, corrupted, survivors };
}

/** Whether silos may miss rounds, and of secure sums the width of their words. */
function sumsOf(run: Run, gaps: boolean): Pick<SealedPlan['plan'], 'gaps' | 'secure'> {
  const { trust } = run.problem;
  if (trust.model !== 'secure-aggregation') return { gaps };
  return { gaps: trust.survivors < trust.silos, secure: { width: wordsOf(run) } };
}

/** The plan of an earlier run of this server; `null` for what cannot be read. */
function planOf(path: string, { public: own }: Identity): SealedPlan | null {
  try {
    const sealed = readPlan(new Uint8Array(readFileSync(path)));
    return sealed.plan.server === own.text ? sealed : null;
  } catch (error) {
    if (error instanceof LetheError) return null;
    throw error;
  }
}

/** The plan of an interrupted run. @throws {Corrupt} for one of another experiment. */
function planIn(path: string, { silos, title }: Federation, { public: own }: Identity): SealedPlan {
  const sealed = readPlan(new Uint8Array(readFileSync(path)));
  const { plan } = sealed;
  const isSame =
    plan.server === own.text &&
    plan.title === title &&
    plan.silos.length === silos.length &&
    plan.silos.every(({ key }, i) => key === silos[i].key);
  if (isSame) return sealed;
  throw new Corrupt(
    `${path} is the plan of another run: of other silos, another title or another server. ` +
      'Put the experiment back as it was, or make a new run with --again.',
    { path },
  );
}

const publicRandomOf = (hex: string): RandomSource =>
  randomFromKey(new Uint8Array(Buffer.from(hex, 'hex')), 'seeded');

type AnySilo = RemoteSilo | RemoteRawSilo | RemoteAddendSilo;
const isAddend = (silo: AnySilo): silo is RemoteAddendSilo => 'addendFor' in silo;
const isRaw = (silo: AnySilo): silo is RemoteRawSilo => 'sumFor' in silo;
const isOwn = (silo: AnySilo): silo is RemoteSilo => 'answer' in silo;

/** Silos as one curator. With gaps a silo that is out of reach misses the round. */
function joined(
  silos: readonly AnySilo[],
  sealed: SealedPlan,
  {
    registry,
    say,
    store,
    lost,
  }: Pick<FederateOptions, 'registry' | 'say'> & Pick<Agreed, 'store'> & { readonly lost: LostRounds },
): Curator {
  const { plan } = sealed;
  const { trust } = plan.agreement.plan.problem;
  if (trust.model === 'secure-aggregation') {
    const own = silos.filter(isAddend);
    const { corrupted, survivors } = trust;
    let there = silos.length;
    const sums = networkSums(sealed, own, {
      store: store('sums.lethe'),
      onLeft: (i, why) =>
        say(`${plan.silos[i].name}: has left the run; sums go on without it (${why.message})`),
      onRound(index, heard) {
        if (heard === null) lost.sums += 1;
        silos.forEach((_, i) => {
          if (heard !== null && !heard.includes(i)) lost.silo[i] += 1;
        });
        if (heard === null) say(`sum ${index}: lost; the next one has what silos added`);
        else if (heard.length !== there) say(`sum ${index}: of ${heard.length} silos`);
        there = heard?.length ?? there;
      },
    });
    return secureFederation({ silos: own, sums, corrupted, survivors, registry });
  }
  const gaps = plan.gaps
    ? {
        isAbsence(error: unknown) {
          if (!(error instanceof Unsupported) || refusalOf(error) !== undefined) return false;
          const away = silos.findIndex((_, i) => plan.silos[i].name === error.details['silo']);
          if (away >= 0) lost.silo[away] += 1;
          return true;
        },
      }
    : {};
  return silos.every(isRaw)
    ? trustedFederation({ silos: silos.filter(isRaw), registry, ...gaps })
    : federation({ silos: silos.filter(isOwn), ...gaps });
}

/** Rounds without a silo, by silo, and sums that nobody has, since this process drives the run. */
interface LostRounds {
  readonly silo: number[];
  sums: number;
}

interface Done {
  readonly lost: LostRounds;
  readonly experiment: Federation;
  readonly options: FederateOptions;
  readonly sealed: SealedPlan;
  readonly silos: readonly AnySilo[];
  readonly run: Run;
  readonly output: Float64Array;
  readonly queries: number;
  readonly resumedAt: number;
  readonly seconds: number;
}

async function resultOf(done: Done): Promise<FederationResult> {
  const { experiment, options, sealed, silos, run, output } = done;
  const { registry, command } = options;
  const { adjacency, slots } = run.problem;
  const accountant = bestOf(accountantsIn(registry), eventKindsOf(registry));
  const results: SiloResult[] = [];
  for (const [i, silo] of silos.entries()) {
    const { name } = sealed.plan.silos[i];
    const spent = await silo.spent();
    const reserved = silo.facts.reserved;
    if (reserved !== undefined && !sealed.plan.gaps && !sameEvent(spent, reserved))
      throw new Corrupt(
        `silo '${name}' has spent something else than it reserved; nothing can be certified`,
        {
          silo: name,
        },
      );
    const charged = defined(reserved ?? spent);
    const interval = accountant.epsilon(charged, {
      adjacency,
      delta: experiment.budget.delta,
      near: experiment.budget.epsilon,
    });
    results.push({
      name,
      records: slots[i],
      spent,
      charged,
      // Of a server that is trusted, what it promises is among them.
      epsilon: {
        ...interval,
        assumptions: [...new Set([...interval.assumptions, ...silo.facts.assumptions])],
      },
      ...silo.traffic,
      missed: done.lost.silo[i],
    });
  }
  const result: Omit<FederationResult, 'model'> = {
    kind: 'federation',
    label: silos.some(({ facts }) => facts.simulation) ? 'simulation: no privacy' : 'release',
    experiment,
    command,
    environment: environment(),
    run: sealed.plan.agreement.run,
    plan: Buffer.from(sealed.digest).toString('hex'),
    optimizer: run.plan,
    queries: done.queries,
    resumedAt: done.resumedAt,
    lostSums: done.lost.sums,
    seconds: done.seconds,
    silos: results,
    output: [...output],
    weights: weightNames(
      resolvePlugin<Loss>(registry, run.problem.loss),
      publicShape(experiment.problem).featureNames,
    ),
  };
  return { ...result, model: modelOf(result, run) };
}
