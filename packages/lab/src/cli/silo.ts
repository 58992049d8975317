import { join, resolve } from 'node:path';
import { bestOf } from '@lethe/accountants';
import {
  defined,
  eventKindsOf,
  InvalidParameter,
  type Adjacency,
  type Registry,
  type TrustModel,
} from '@lethe/core';
import {
  connectNats,
  type NatsConnection,
  type PublicIdentity,
  identityFile,
  publicIdentity,
  pointsSubjectOf,
  serveNats,
  siloService,
  subjectOf,
  type Proposal,
  type SiloEvent,
} from '@lethe/federation';
import { assumptionsOf } from '@lethe/curator/federation';
import { fileStore, writeWhole } from '@lethe/node';
import { hexOf } from '@lethe/numerics';
import { usualDelta } from '@lethe/train';
import { certificateOf, certificateText } from '../federation/silo-certificate.js';
import { ownerOf } from '../experiment/owner-of.js';
import { problemOf, siloHouse, siloTable, unreadableText } from '../federation/silo-data.js';
import { fileForm } from '../model/file-form.js';
import { accountantsIn } from '../plugins/accountants-in.js';
import { pluginsGiven } from '../plugins/option.js';
import { withPlugins } from '../plugins/with-plugins.js';
import { registry as shipped } from '../registry.js';
import { deltaText, nounFor, roundOutward } from '../report/format.js';
import type { LedgerAccount } from '../run/ledger-account.js';
import { toJson } from './accounting.js';
import type { Action } from './command.js';
import { compileLater } from './compile-later.js';
import { limitGiven } from './commands/limit-given.js';
import { assertLimitProtects } from './limit-protects.js';
import { networkOf } from './network.js';
import { ownerPrompt } from './owner-prompt.js';
import { chosen } from './parsed.js';
import { rewrittenLine } from './rewritten-line.js';
import { letHeapGrow } from './let-heap-grow.js';
import { linesPerMinute } from './lines-per-minute.js';

const adjacencies = ['replace-one', 'zero-out'] as const;
/** Milliseconds between lines of progress where there is no terminal. */
const lineEvery = 5000;
/** Refusals of one kind that are shown in a minute. */
const refusalsShown = 5;
/** Seconds for which the end of a run is repeated to a server that did not hear it. */
const lastWords = 3;

export const serveSilo: Action = async (parsed, context) => {
  const { out, rewrite, signal } = context;
  const line = rewrittenLine(rewrite);
  const error = (text: string): void => {
    line.clear();
    context.error(text);
  };
  const folder = resolve(parsed.string('folder') ?? 'silo');
  const file = resolve(defined(parsed.string('data')));
  // A file that will not do leaves no keys behind.
  const ownerColumn = parsed.string('owner');
  const form = fileForm(file, parsed.string('delimiter'));
  const table = await siloTable({ file, form, owner: ownerColumn });
  const { slots: records } = table;
  const identity = identityFile(join(folder, 'silo.key'));
  const asJson = parsed.flag('json');
  const say = (text: string, event: object): void => {
    line.clear();
    out(asJson ? `${JSON.stringify(event)}\n` : `${text}\n`);
  };
  say(`public key of this silo: ${identity.public.text}`, { what: 'key', key: identity.public.text });
  const given = parsed.string('server-key');
  if (given === undefined) {
    error(
      'Give this key to the operator of the server, and start again with --server-key and the key of the ' +
        'server.\n',
    );
    return 0;
  }
  const registry = withPlugins(shipped, await pluginsGiven(parsed));
  const adjacency: Adjacency = chosen(parsed, 'adjacency', adjacencies) ?? 'replace-one';
  const slotName = ownerColumn === undefined ? 'records' : 'owners';
  const warn = (text: string): void => error(`warning: ${text}\n`);
  const words = limitGiven(parsed);
  assertLimitProtects(words, records);
  const limit = words && { delta: usualDelta(records), ...words };
  if (limit === undefined)
    warn(
      'without --limit nothing but your answers bounds what runs on these records may cost, unless their ' +
        'ledger keeps a limit of an earlier start',
    );
  const house = siloHouse({
    table,
    adjacency,
    limit,
    ledger: parsed.string('ledger'),
    registry,
    warn,
  });
  const store = fileStore(join(folder, 'silo.log'), { mode: 0o600 });
  const owner = ownerPrompt(context.input, error, process.stdin.isTTY ? 0.1 : 0);
  const letGo = context.hold();
  let stop: (reason: Error | null) => void = () => undefined;
  const stopped = new Promise<Error | null>((settle) => {
    stop = settle;
  });
  const serverKey = keyOf(given);
  let lastCounted = -Infinity;
  const leftOutOf = linesPerMinute(refusalsShown);
  /** Shows an event, unless it is one of many. */
  const show = (event: SiloEvent): void => {
    // On a terminal answers are counted, and elsewhere shown now and then; as JSON each is listed.
    if (event.what === 'answered' && !asJson) {
      if (line.isShown && process.stdout.isTTY) {
        line.show(lineOf(event));
        return;
      }
      if (performance.now() - lastCounted <= lineEvery) return;
      lastCounted = performance.now();
    }
    // Anybody on the NATS server can have messages refused.
    const leftOut = event.what === 'refused' ? leftOutOf(event.code) : 0;
    if (leftOut === null) return;
    if (leftOut === 0) say(lineOf(event), plainOf(event));
    else
      say(`${lineOf(event)} (${leftOut} of this kind before it are not shown)`, {
        ...plainOf(event),
        leftOut,
      });
  };
  const service = siloService({
    identity,
    serverKey,
    records,
    adjacency,
    unit: ownerColumn === undefined ? 'record' : 'owner',
    registry,
    store,
    open: (run) => house.open(run),
    async confirm(proposal, over) {
      const unreadable = await house.prepare(proposal.sealed.plan);
      if (over.aborted) return false;
      error(shown(proposal, { registry, records }));
      const { budget } = proposal.sealed.plan.agreement.plan;
      const standing = house.standing(proposal.part.event, budget.delta);
      if (standing !== null) error(`  ${'so far'.padEnd(10)} ${standingText(standing.account)}\n`);
      // The server hears of it when the owner agrees all the same, and not from plans that nobody has read.
      if (standing !== null && standing.lacking !== null) error(`No room: ${standing.lacking}\n`);
      if (unreadable > 0) error(`${unreadableText(unreadable)}\n`);
      const plan = hexOf(proposal.sealed.digest);
      const yes = parsed.flag('yes') || (await owner.agrees(plan, over));
      if (!over.aborted) error(yes ? 'Agreed.\n' : 'Declined.\n');
      return yes;
    },
    onEvent(event) {
      // The server asks until the owner has decided.
      if (event.what === 'refused' && event.code === 'waiting-for-owner') return;
      show(event);
      if (event.what === 'ended' && event.run !== null) {
        const certificate = certificateOf(event.run, {
          registry,
          records,
          adjacency,
          total: house.total(),
          reason: event.reason,
        });
        const path = join(folder, `certificate-${certificate.run}.json`);
        writeWhole(path, new TextEncoder().encode(`${toJson(certificate, 2)}\n`));
        error(`${certificateText(certificate)}\nCertificate: ${path}\n`);
      }
      if (event.what === 'ended' && parsed.flag('once')) setTimeout(() => stop(null), 1000 * lastWords);
      // What is on disk is then known to a new process alone.
      if (event.what === 'refused' && event.code === 'not-stored')
        stop(event.error instanceof Error ? event.error : new Error(String(event.error)));
    },
  });
  const url = parsed.string('server') ?? 'nats://127.0.0.1:4222';
  const agreed = service.agreed();
  if (agreed !== null) {
    await house.prepare(agreed.plan);
    error(`Continues the run '${agreed.plan.title}', which was agreed to before.\n`);
  }
  letHeapGrow();
  compileLater();
  let connection: NatsConnection | null = null;
  try {
    const name = `silo ${identity.public.text.slice(0, 20)}`;
    const network = { servers: url, from: '--server', name };
    connection = await connectNats(networkOf(parsed, network, { error, signal }));
    serveNats(connection, subjectOf(identity.public), service, {
      subject: pointsSubjectOf(serverKey),
      take: service.take,
    });
    error(
      `Listening at ${url}, ${records.toLocaleString('en')} ${slotName}. Ctrl-C stops the silo; it ` +
        `continues when started again.\n`,
    );
    signal.addEventListener('abort', () => stop(null), { once: true });
    const reason = await stopped;
    if (reason === null) return 0;
    error(
      `The silo cannot store what it is about to send: ${String(reason.cause ?? reason.message)}. Make ` +
        `room, and start it again.\n`,
    );
    return 1;
  } catch (problem) {
    if (connection === null && signal.aborted) return 0;
    throw problem;
  } finally {
    await connection?.close();
    owner.close();
    house.close();
    store.close();
    letGo();
  }
};

/** @throws {InvalidParameter} that names the option. */
function keyOf(text: string): PublicIdentity {
  try {
    return publicIdentity(text);
  } catch (problem) {
    if (!(problem instanceof InvalidParameter)) throw problem;
    throw new InvalidParameter(`--server-key: ${problem.message}`, {}, { cause: problem });
  }
}

/** A plan for the owner of a silo. */
function shown(
  { sealed: { plan, digest }, silo, part }: Proposal,
  { registry, records }: { readonly registry: Registry; readonly records: number },
): string {
  const { problem, budget, optimizer } = plan.agreement.plan;
  const spec = problemOf(plan);
  const owner = ownerOf(spec);
  const { adjacency, trust } = problem;
  const interval = bestOf(accountantsIn(registry), eventKindsOf(registry)).epsilon(part.event, {
    adjacency,
    delta: budget.delta,
    near: budget.epsilon,
  });
  const assumptions = [...interval.assumptions, ...assumptionsOf(trust)];
  const lines = [
    ['run', `${plan.title} (${plan.agreement.run})`],
    ['plan', hexOf(digest)],
    ['silos', plan.silos.map(({ name }, i) => (i === silo ? `${name} (you)` : name)).join(', ')],
    ['method', `${optimizer}, ${part.queries} queries`],
    ['loss', problem.loss.name],
    ['reads', 'design' in spec.data ? Object.keys(spec.data.read?.columns ?? {}).join(', ') : ''],
    owner === undefined
      ? ['records', `${records.toLocaleString('en')}, neighbours by ${adjacency}`]
      : [
          'owners',
          `${records.toLocaleString('en')} by '${owner.column}', ${owner.most} records of each at most; ` +
            `all that one owner has is protected, neighbours by ${adjacency}`,
        ],
    ['server', serverText(trust)],
    [
      'costs you',
      `epsilon ${interval.upper.toPrecision(4)} at delta ${deltaText(budget.delta)}, assuming ` +
        `${assumptions.join(', ') || 'nothing'}`,
    ],
  ];
  const told = lines.map(([head, text]) => `  ${head.padEnd(10)} ${text}`).join('\n');
  return `\nA plan was proposed:\n${told}\n`;
}

/** What all runs before a plan have cost, for the owner of a silo. */
function standingText({ spent, delta, limit, runs }: LedgerAccount): string {
  const before =
    runs.length === 0
      ? 'nothing spent'
      : `epsilon at most ${roundOutward(spent.upper, 'upper')} at delta ${deltaText(delta)} over ` +
        `${runs.length} ${nounFor(runs.length, 'run')}`;
  if (limit === null) return `${before}; no limit`;
  const taken = limit.share === null ? '' : `, ${roundOutward(100 * limit.share, 'upper')} % of it taken`;
  return `${before}; limit epsilon ${limit.epsilon} at delta ${deltaText(delta)}${taken}`;
}

/** What the server sees, for the owner of a silo. */
function serverText(trust: TrustModel): string {
  if (trust.model === 'secure-aggregation')
    return (
      `not trusted: it sees noisy sums of at least ${trust.survivors} of ${trust.silos} silos alone, if at ` +
      `most ${trust.corrupted} of them side with it`
    );
  return trust.model === 'federated' && trust.server === 'trusted'
    ? 'trusted: it sees sums of your records without noise'
    : 'not trusted: it sees noisy sums alone';
}

function lineOf(event: SiloEvent): string {
  switch (event.what) {
    case 'agreed':
      return `agreed to '${event.plan.plan.title}'`;
    case 'answered':
      return `answered ${event.index + 1} of ${event.of}${event.again ? ', again' : ''}`;
    case 'refused':
      return (
        `refused (${event.code}): ` +
        `${event.error instanceof Error ? event.error.message : String(event.error)}` +
        (event.code === 'wrong-tag'
          ? '; compare --server-key with the key that lethe federate prints, and the key of this silo with ' +
            'that in the experiment'
          : '')
      );
    case 'undecided':
      return (
        'the records cannot be read, so that the plan is neither agreed to nor declined, and the server ' +
        'waits: ' +
        `${event.error instanceof Error ? event.error.message : String(event.error)}. Mend the file, and ` +
        'start the silo again.'
      );
    case 'ended':
      return `the run has ended: ${event.reason}`;
    case 'withdrawn':
      return `the plan was taken back before its run began here: ${event.reason}`;
  }
}

function plainOf(event: SiloEvent): object {
  if (event.what === 'ended')
    return { what: event.what, reason: event.reason, answered: event.run?.answered ?? null };
  if (event.what === 'agreed') return { what: event.what, run: event.plan.plan.agreement.run };
  if (event.what === 'refused' || event.what === 'undecided')
    return {
      what: event.what,
      ...('code' in event ? { code: event.code } : {}),
      message: event.error instanceof Error ? event.error.message : '',
    };
  return event;
}
