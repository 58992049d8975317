import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bestOf, totalHolds } from '@lethe/accountants';
import {
  domainAt,
  drive,
  IncompatiblePlugins,
  InvalidParameter,
  reservationFor,
  resolvePlugin,
  sameEvent,
  secureRandom,
  seededRandom,
  Unsupported,
  type Calibrate,
  type Loss,
  type PrivacyEvent,
  type Registry,
  eventKindsOf,
} from '@lethe/core';
import { attachData, attachStored, centralCurator, openLedger } from '@lethe/curator';
import { fileStore, writeWhole } from '@lethe/node';
import { accountantsIn } from '../plugins/accountants-in.js';
import type { LoadedPlugins } from '../plugins/load-plugins.js';
import { depthFor, profileOf, type Profile } from '../profile/profile.js';
import { deltaText } from '../report/format.js';
import type { ReleaseResult } from '../experiment/results.js';
import { assertProtects } from '../experiment/protection.js';
import { paramsOn, type Release } from '../experiment/schema.js';
import { countedRun } from './adaptive-account.js';
import { attachRecognised } from './attach-recognised.js';
import { environment } from './environment.js';
import { isStored } from './load.js';
import { ledgerPlace, type LedgerPlace, type Source } from './ledger-path.js';
import { looseLimit } from './loose-limit.js';
import { matrixOf, precisionIn } from './layout.js';
import { planRun, recordedPlan, resumedRun } from './planned-run.js';
import { publicProblem } from './problem.js';
import type { Progress } from './progress.js';
import { startOf } from './start-of.js';
import { weightNames } from './weight-names.js';
import { readLedger } from './read-ledger.js';
import { assertHeld, assertStanding, assertWholeTranscript, openedLedger, withWayOut } from './recovery.js';
import { recordsOfRelease } from './release-records.js';
import { assertFree, mayBeCharged, openRunFile, type Existing, type KnownRun } from './run-file.js';
import { refusedBy } from './refused-by-limit.js';
import { isUnprotected } from './unprotected.js';
import { unreadFacts } from './unread-facts.js';

/** Inputs of a release besides the experiment. */
export interface ReleaseContext {
  readonly registry: Registry;
  /** Modules of the plugins that do not ship with Lethe; the run can only be resumed with the same. */
  readonly plugins?: readonly LoadedPlugins[];
  readonly calibrate: Calibrate;
  readonly folder: string;
  readonly out: string;
  /** What to do about an earlier release in `out`. */
  readonly existing: Existing;
  /**
   * Starts a new ledger in place of a lost or damaged one; earlier spending is forgotten.
   *
   * @defaultValue false
   */
  readonly newLedger?: boolean;
  readonly progress: Progress;
  readonly signal: AbortSignal;
  /**
   * Called before the first charge; the returned function is called after the last. In between, an interrupt
   * takes effect before the next query.
   */
  readonly hold?: () => () => void;
  readonly command: string;
  /** Answers between checkpoints of the transcript, at least 1; `Infinity` for none. @defaultValue 1000 */
  readonly checkpointEvery?: number | undefined;
}

/**
 * One release: a secure curator, the data set's own ledger, a public transcript in the output folder. It can
 * be killed at any moment and resumed; what was charged stays charged.
 *
 * @throws {BudgetExceeded} when the data set's limit cannot pay for the plan; nothing is spent.
 */
export async function release(experiment: Release, context: ReleaseContext): Promise<ReleaseResult> {
  const {
    registry,
    calibrate,
    folder,
    out,
    existing,
    newLedger = false,
    progress,
    signal,
    hold = () => () => undefined,
    checkpointEvery,
  } = context;
  const { problem: spec, optimizer, budget, adjacency, limit } = experiment;
  const runPath = join(out, 'run.json');
  const transcriptPath = join(out, 'transcript.lethe');
  // Said before the records are read, which may take long.
  assertFree(runPath, { existing, transcript: transcriptPath });
  progress.phase(
    isStored(spec)
      ? `${spec.title}: reading the records into a file in ${tmpdir()}`
      : `${spec.title}: reading the records`,
  );
  const used = await recordsOfRelease(experiment, folder);
  const { n, columns } = used;
  assertProtects(experiment, n);
  const { problem, record, facts } = publicProblem(spec, {
    registry,
    adjacency,
    n,
    columns,
    rowNorm: used.rowNorm,
    columnBounds: used.columnBounds,
    sparsity: used.sparsity,
    unit: used.owners && 'owner',
  });
  const resumes = existing === 'resume';
  const kinds = eventKindsOf(registry);
  const hadOne = mayBeCharged(runPath, transcriptPath);
  const warn = (text: string): void => {
    progress.warn(text);
  };
  const found = async (): Promise<{ readonly source: Source; readonly place: LedgerPlace }> => {
    const source = await used.source();
    return { source, place: ledgerPlace(experiment, folder, source) };
  };
  const runs = async (): Promise<readonly KnownRun[]> => {
    const { place } = await found();
    assertStanding(place, { kinds, hadOne, resumes, mayForget: false, warn });
    if (!existsSync(place.path)) return [];
    const known = openedLedger(place.path, () => readLedger(readFileSync(place.path), kinds));
    return known.runs().map((run) => ({ run, ended: known.standing(run).ended }));
  };
  const { runFile, makeRoom } = await openRunFile(runPath, {
    experiment: experiment.name,
    existing,
    transcript: transcriptPath,
    runs,
    warn,
  });
  const random = seededRandom(runFile.seed);
  const accountant = bestOf(accountantsIn(registry), kinds);
  const request = {
    registry,
    optimizer: optimizer.name,
    params: paramsOn(optimizer, spec.name),
    problem,
    budget,
    calibrate,
    random,
  };
  const planned =
    runFile.recorded === undefined ? planRun(request) : resumedRun(request, runFile.recorded, runPath);
  // A run file that is made again has no plan: its transcript may be of another one.
  const recorded = resumes ? runFile.recorded : recordedPlan(planned, request);

  if (isUnprotected(planned.plan.event))
    throw new Unsupported(
      `optimizer '${optimizer.name}' releases without noise, so nothing about its release is private; ` +
        'compare with it in an evaluation',
      { optimizer: optimizer.name },
    );

  const { source, place } = await found();
  assertStanding(place, { kinds, hadOne, resumes, mayForget: newLedger, warn });
  for (const warning of place.warnings) progress.warn(warning);
  const ledgerStore = fileStore(place.path, { mode: 0o600 });
  const letGo = hold();
  try {
    const keptLimit = limitInForce(place.path, limit, kinds);
    const ledger = openedLedger(place.path, () =>
      openLedger({
        adjacency,
        store: ledgerStore,
        ...(keptLimit === undefined ? {} : { limit: { ...keptLimit, accountant } }),
      }),
    );
    const { columns: _, ...domain } = record;
    const data = attachRecognised(source, (bytes) => {
      const common = {
        ...(used.nulls === undefined ? {} : { nulls: used.nulls }),
        ...(used.owners === undefined ? {} : { owners: used.owners }),
        loss: problem.loss,
        registry,
        domain,
        outside: 'clip',
        identity: [bytes, new TextEncoder().encode(`order/${spec.data.shuffle}`)],
        ledger,
      } as const;
      return 'stored' in used
        ? attachStored({ ...common, features: used.stored })
        : attachData({
            ...common,
            ...precisionIn(spec.data),
            features: matrixOf(used, spec.data.layout),
            labels: used.labels,
          });
    });
    place.remember();
    if (resumes) assertHeld(ledger, runFile, { path: place.path, transcript: transcriptPath });
    const loose = limit && looseLimit(limit, { event: planned.plan.event, adjacency, accountant, kinds });
    if (loose) progress.warn(loose);
    // The name of the run is stored before the first charge, and after all other checks.
    if (!ledger.runs().includes(runFile.run))
      refusedBy(
        place.path,
        ledger,
        kinds,
        () => ledger.assertAffordable(planned.plan.event),
        'budget.epsilon',
      );
    const name = (opened: boolean): void =>
      writeWhole(runPath, `${JSON.stringify({ ...runFile, opened, recorded }, null, 2)}\n`);
    if (!resumes) {
      makeRoom();
      name(false);
    }
    const curator = centralCurator({
      data,
      registry,
      run: runFile.run,
      random: secureRandom(),
      ...reservationFor(planned),
      uses: versionsOf(context.plugins),
      ...(adjacency === 'add-remove' ? { publicSlots: n } : {}),
    });
    if (!(runFile.opened ?? false)) name(true);
    assertWholeTranscript(transcriptPath, curator.transcriptKey);
    const transcript = fileStore(transcriptPath);
    let isVoid = false;
    try {
      progress.phase(`${spec.title}: releasing with ${optimizer.name}`);
      const start = startOf(
        resolvePlugin<Loss>(registry, problem.loss),
        columns,
        domainAt(registry, problem.domain, problem.dimension),
      );
      const counted = planned.held === undefined ? null : countedRun(planned);
      const { output } = await drive(counted?.run ?? planned, curator, {
        start,
        random,
        transcript,
        transcriptKey: curator.transcriptKey,
        signal,
        pause: progress.pause,
        ...(checkpointEvery === undefined ? {} : { checkpointEvery }),
      });
      curator.end();
      const unread = unreadFacts([
        { problem: spec.name, declared: Object.keys(spec.facts), read: planned.factsRead?.() ?? [] },
      ]);
      if (unread !== null) progress.warn(unread);
      const spent = curator.spent();
      if (!sameEvent(spent, planned.plan.event)) {
        throw new IncompatiblePlugins(
          `optimizer '${optimizer.name}' cost something else than it planned, so nothing can be ` +
            'certified; the charge stands and the model is not written. Repair the optimizer.',
          { planned: planned.plan.event, spent },
        );
      }
      const at = { adjacency, delta: budget.delta, near: budget.epsilon };
      const interval = accountant.epsilon(spent, at);
      const total = ledger.total();
      const charged = curator.charged();
      const profile = (event: PrivacyEvent): Profile | null =>
        profileOf(event, { accountant, adjacency, depth: depthFor(budget.delta) });
      return {
        kind: 'release',
        label: curator.facts.simulation ? 'simulation: no privacy' : 'release',
        experiment,
        command: context.command,
        environment: environment(context.plugins),
        run: runFile.run,
        records: n,
        model: {
          featureNames: weightNames(resolvePlugin<Loss>(registry, problem.loss), used.featureNames),
          features: used.featureNames,
          weights: [...output],
        },
        plan: planned.plan,
        spent,
        certificate: {
          ...interval,
          assumptions: [...new Set([...interval.assumptions, ...curator.facts.assumptions])],
          delta: budget.delta,
          adjacency,
          ...(problem.unit === 'owner' ? { unit: problem.unit } : {}),
        },
        total: {
          event: total,
          interval: accountant.epsilon(total, at),
          runs: ledger.runs(),
          holds: totalHolds(ledger, (delta) => accountant.epsilon(total, { adjacency, delta }).upper),
        },
        profiles: { run: profile(spent), total: profile(total) },
        ledgerMatchesPlan: true,
        facts,
        ...(counted === null
          ? {}
          : {
              adaptive: {
                ...counted.count(),
                charged: {
                  event: charged,
                  interval: accountant.epsilon(charged, at),
                },
              },
            }),
      };
    } catch (failure) {
      // Refused before the first charge: there is nothing to resume.
      isVoid = !resumes && !signal.aborted && curator.charged().kind === 'core/free';
      // Releases the reservation of the run.
      if (isVoid) curator.end();
      throw withWayOut(failure, transcriptPath);
    } finally {
      transcript.close();
      if (isVoid) for (const path of [transcriptPath, runPath]) rmSync(path, { force: true });
    }
  } finally {
    ledgerStore.close();
    if ('stored' in used) used.close();
    letGo();
  }
}

/**
 * The limit of an experiment; where it says none, that of the ledger, which holds all the same.
 *
 * @throws {InvalidParameter} for a limit above that of the ledger.
 */
function limitInForce(
  path: string,
  given: Release['limit'],
  kinds: Parameters<typeof readLedger>[1],
): Release['limit'] {
  if (!existsSync(path) || statSync(path).size === 0) return given;
  const { limit } = openedLedger(path, () => readLedger(readFileSync(path), kinds));
  if (limit === null) return given;
  const { epsilon, delta } = limit;
  if (given === undefined) return { epsilon, delta };
  if (given.epsilon > epsilon || given.delta > delta)
    throw new InvalidParameter(
      `limit: all runs on these records together may spend epsilon ${epsilon} at delta ` +
        `${deltaText(delta)} (the limit in ${path}), and no experiment raises it; leave limit out, or ` +
        'give a lower one',
      { limit },
    );
  return given;
}

/** Version and mark of each plugin module, by name. The ledger compares them when a run is resumed. */
const versionsOf = (plugins: readonly LoadedPlugins[] = []): Readonly<Record<string, string>> =>
  Object.fromEntries(
    plugins.map(({ key, module: { version, mark } }) => [`version of ${key}`, `${version ?? '-'} ${mark}`]),
  );
