import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
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
  resolvePlugin,
  sameEvent,
  secureRandom,
  Unsupported,
  type Curator,
  type Interval,
  type Loss,
  type Optimizer,
  type PrivacyEvent,
  type Registry,
  type Run,
  type RandomSource,
  type TrustModel,
} from '@lethe/core';
import { agreementFor, federation, secureFederation, trustedFederation } from '@lethe/core/federation';
import { randomFromKey } from '@lethe/numerics';
import {
  meetSilo,
  isAggregatorTrusted,
  isSecure,
  natsLink,
  networkSums,
  publicIdentity,
  readPlan,
  refusalOf,
  remoteAddendSilo,
  remoteRawSilo,
  remoteSilo,
  sealedPlan,
  subjectOf,
  type Identity,
  type NatsConnection,
  type RemoteAddendSilo,
  type RemoteRawSilo,
  type RemoteSilo,
  type RemoteSiloOptions,
  type SealedPlan,
} from '@lethe/federation';
import { fileStore, makeFolder, writeWhole } from '@lethe/node';
import { accountantsIn } from '../plugins/accountants-in.js';
import { heldFilter } from '../run/held-filter.js';
import { isUnprotected } from '../run/unprotected.js';
import { environment } from '../run/environment.js';
import { publicProblem } from '../run/problem.js';
import { startOf } from '../run/start-of.js';
import type { Environment } from '../experiment/environment.js';
import type { Federation } from './federation-schema.js';
import { publicShape } from './public-shape.js';
import { wordsOf } from './words-of.js';
import { weightNames } from '../run/weight-names.js';

/** What became of one silo. */
export interface SiloResult {
  readonly name: string;
  readonly records: number;
  /** What its ledger holds of the run. */
  readonly spent: PrivacyEvent;
  /** ε of one of its records against everybody who sees its messages, at the δ of the budget. */
  readonly epsilon: Interval;
  readonly requests: number;
  readonly replies: number;
  readonly sent: number;
  readonly received: number;
  /** Seconds that the server waited for its replies, in all and at most. */
  readonly waited: number;
  readonly longest: number;
}

/** A federated run that has come to its end. */
export interface FederationResult {
  readonly kind: 'federation';
  readonly label: 'release' | 'simulation: no privacy';
  readonly experiment: Federation;
  readonly command: string;
  readonly environment: Environment;
  readonly run: string;
  /** SHA-256 of the plan that all parties signed. */
  readonly plan: string;
  readonly optimizer: unknown;
  readonly queries: number;
  readonly resumedAt: number;
  readonly seconds: number;
  readonly silos: readonly SiloResult[];
  readonly output: readonly number[];
  readonly weights: readonly string[];
}

const pathsIn = (folder: string) => ({
  plan: join(folder, 'plan.lethe'),
  transcript: join(folder, 'transcript.lethe'),
  results: join(folder, 'results.json'),
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

const sleep = (seconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, 1000 * seconds);
  });
const clock = (): number => performance.now() / 1000;

/**
 * Meets the silos, proposes a plan, waits for their owners, and drives the run to its end. A run whose
 * results were kept is not driven again: the silos that may not know are told that it is over.
 *
 * @returns `null` for a run that was finished before.
 * @throws the first refusal of a silo; {Unsupported} when one stays out of reach; {Corrupt} for results that
 * cannot be continued.
 */
export async function federate(
  experiment: Federation,
  options: FederateOptions,
): Promise<FederationResult | null> {
  const { folder, existing, signal } = options;
  const isBegun = existsSync(pathsIn(folder).plan);
  if (isBegun && existing === 'refuse')
    throw new InvalidParameter(
      `${folder} holds a run already; continue it with --resume, or make another, charged separately, ` +
        'with --again',
      { folder },
    );
  if (!isBegun && existing === 'resume')
    throw new InvalidParameter(`${folder} holds no run to continue; leave out --resume`, { folder });
  makeFolder(folder);
  // Ends what is asked of other silos when one of them refuses.
  const over = new AbortController();
  const reach = { ...options, signal: AbortSignal.any([signal, over.signal]) };
  const isFinished = existing === 'resume' && existsSync(pathsIn(folder).results);
  // Silos that were told are gone: one that does not answer soon is not waited for.
  const patience = isFinished ? 2 * experiment.deadline : experiment.patience;
  const links = experiment.silos.map(({ name, key }) =>
    linkTo(name, key, { ...experiment, patience }, reach),
  );
  try {
    if (isFinished) {
      const sealed = planIn(pathsIn(folder).plan, experiment, options.identity);
      await Promise.all(
        links.map((link, silo) => tellEnd(options, link.name, () => reached(sealed, silo, link, options))),
      );
      return null;
    }
    return await carriedOut(experiment, options, links);
  } finally {
    over.abort(new Error('the run is over'));
  }
}

async function carriedOut(
  experiment: Federation,
  options: FederateOptions,
  links: readonly NamedLink[],
): Promise<FederationResult> {
  const { registry, identity, folder, existing, signal, say } = options;
  const paths = pathsIn(folder);
  const sealed =
    existing === 'resume'
      ? planIn(paths.plan, experiment, identity)
      : await planned(experiment, links, { registry, identity, say });
  const { agreement } = sealed.plan;
  const optimizer = findPlugin<Optimizer>(registry, 'optimizer', agreement.plan.optimizer);
  const random = coinsOf(agreement.coins);
  const run = optimizer.fromPlan({ plan: agreement.plan, registry, random, filter: heldFilter(registry) });
  const letGo = options.hold();
  const transcript = fileStore(paths.transcript);
  try {
    if (existing !== 'resume') {
      transcript.truncate(0);
      rmSync(paths.results, { force: true });
      writeWhole(paths.plan, sealed.bytes);
    }
    const silos = await Promise.all(
      links.map(async (link, silo) => {
        say(`${link.name}: waiting for its owner`);
        const remote = await reached(sealed, silo, link, options);
        say(`${link.name}: agreed`);
        return remote;
      }),
    );
    const begun = clock();
    const { output, queries, resumedAt } = await drive(run, joined(silos, sealed, options), {
      start: Float64Array.from(agreement.start),
      random,
      transcript,
      signal,
      progress: ({ queries: done }) => options.progress(done),
      ...(sealed.plan.gaps || isSecure(sealed.plan) ? { checkpointEvery: Infinity } : {}),
    });
    const seconds = clock() - begun;
    const done = { experiment, options, sealed, silos, run, output, queries, resumedAt, seconds };
    const result = await resultOf(done);
    options.keep(result);
    await Promise.all(links.map(async ({ name }, i) => tellEnd(options, name, async () => silos[i])));
    return result;
  } finally {
    transcript.close();
    letGo();
  }
}

interface NamedLink extends RemoteSiloOptions {
  readonly name: string;
}

/** A silo that agrees to the plan. */
function reached(
  sealed: SealedPlan,
  silo: number,
  { name, ...link }: NamedLink,
  { folder }: FederateOptions,
): Promise<AnySilo> {
  if (isSecure(sealed.plan)) return remoteAddendSilo(sealed, silo, link);
  const store = sealed.plan.gaps ? { store: fileStore(join(folder, `${name}.sums`)) } : {};
  const reach = isAggregatorTrusted(sealed.plan) ? remoteRawSilo : remoteSilo;
  return reach(sealed, silo, { ...link, ...store });
}

/** Tells a silo that the run is over. One that is away hears of it when the server is resumed. */
async function tellEnd({ say }: FederateOptions, name: string, reach: () => Promise<AnySilo>): Promise<void> {
  try {
    const silo = await reach();
    await silo.end('the run is over');
  } catch (error) {
    if (refusalOf(error) === 'ended') return;
    const why = error instanceof Error ? error.message : String(error);
    say(`${name}: was not told that the run is over (${why}); tell it by --resume`);
  }
}

function linkTo(
  name: string,
  key: string,
  { deadline, patience }: Federation,
  { connection, identity, signal, say }: FederateOptions,
): NamedLink {
  const siloKey = publicIdentity(key);
  let since = clock();
  let isAway = false;
  const link = natsLink(connection, subjectOf(siloKey), deadline);
  return {
    name,
    siloKey,
    identity,
    link: {
      async request(bytes) {
        const reply = await link.request(bytes);
        if (isAway) say(`${name}: is back`);
        isAway = false;
        since = clock();
        return reply;
      },
    },
    clock,
    attempts: Infinity,
    async pause(failures, reason) {
      signal.throwIfAborted();
      const isOwner = refusalOf(reason) === 'waiting-for-owner';
      if (!isOwner && !isAway && failures > 1) {
        isAway = true;
        say(`${name}: does not answer; it is asked again (${reason instanceof Error ? reason.message : ''})`);
      }
      if (clock() - since > patience) throw reason;
      await sleep(Math.min(2, 0.05 * 2 ** Math.min(failures, 6)));
    },
  };
}

/** A plan for these silos, signed by nobody yet. */
async function planned(
  experiment: Federation,
  links: readonly NamedLink[],
  { registry, identity, say }: Pick<FederateOptions, 'registry' | 'identity' | 'say'>,
): Promise<SealedPlan> {
  const met = await Promise.all(
    links.map(async ({ name, ...link }) => {
      say(`${name}: waiting for it`);
      const silo = await meetSilo(name, link);
      say(`${name}: ${silo.records.toLocaleString('en')} records`);
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
  const slots = met.map(({ records }) => records);
  const { problem } = publicProblem(spec, {
    registry,
    adjacency,
    n: slots[0],
    ...shape,
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
  return sealedPlan({
    format: 'lethe/federated-plan',
    v: 1,
    title: experiment.title,
    server: identity.public.text,
    silos: experiment.silos.map(({ name, key }) => ({ name, key })),
    unit: 'record',
    data: JSON.parse(JSON.stringify(spec)) as SealedPlan['plan']['data'],
    ...sumsOf(run, experiment.gaps),
    deadline: experiment.deadline,
    agreement: agreementFor(run, { name: randomBytes(16).toString('hex'), start, random }),
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

const coinsOf = (hex: string): RandomSource =>
  randomFromKey(new Uint8Array(Buffer.from(hex, 'hex')), 'seeded');

type AnySilo = RemoteSilo | RemoteRawSilo | RemoteAddendSilo;
const isAddend = (silo: AnySilo): silo is RemoteAddendSilo => 'addendFor' in silo;
const isRaw = (silo: AnySilo): silo is RemoteRawSilo => 'sumFor' in silo;
const isOwn = (silo: AnySilo): silo is RemoteSilo => 'answer' in silo;

/** Silos as one curator. With gaps a silo that is out of reach misses the round. */
function joined(
  silos: readonly AnySilo[],
  sealed: SealedPlan,
  { registry, folder, say }: Pick<FederateOptions, 'registry' | 'folder' | 'say'>,
): Curator {
  const { plan } = sealed;
  const { trust } = plan.agreement.plan.problem;
  if (trust.model === 'secure-aggregation') {
    const own = silos.filter(isAddend);
    const { corrupted, survivors } = trust;
    let there = silos.length;
    const sums = networkSums(sealed, own, {
      store: fileStore(join(folder, 'sums.lethe')),
      onRound(index, heard) {
        if (heard === null) say(`sum ${index}: lost; the next one has what silos added`);
        else if (heard.length !== there) say(`sum ${index}: of ${heard.length} silos`);
        there = heard?.length ?? there;
      },
    });
    return secureFederation({ silos: own, sums, corrupted, survivors, registry });
  }
  const gaps = plan.gaps
    ? { isAbsence: (error: unknown) => error instanceof Unsupported && refusalOf(error) === undefined }
    : {};
  return silos.every(isRaw)
    ? trustedFederation({ silos: silos.filter(isRaw), registry, ...gaps })
    : federation({ silos: silos.filter(isOwn), ...gaps });
}

interface Done {
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
    const interval = accountant.epsilon(defined(reserved ?? spent), {
      adjacency,
      delta: experiment.budget.delta,
    });
    results.push({
      name,
      records: slots[i],
      spent,
      // Of a server that is trusted, what it promises is among them.
      epsilon: {
        ...interval,
        assumptions: [...new Set([...interval.assumptions, ...silo.facts.assumptions])],
      },
      ...silo.traffic,
    });
  }
  return {
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
    seconds: done.seconds,
    silos: results,
    output: [...output],
    weights: weightNames(
      resolvePlugin<Loss>(registry, run.problem.loss),
      publicShape(experiment.problem).featureNames,
    ),
  };
}
