import type { Command, Option } from './command.js';
import { wrapped } from './wrapped.js';

/** The help of the whole command line. */
export function usageOf(commands: readonly Command[]): string {
  const rows = commands.map(({ name, arguments: positional, summary }) =>
    row(`${name} ${positional}`, summary),
  );
  return [
    'lethe: differentially private stochastic optimisation\n',
    '\n',
    ...aligned(rows),
    '\n',
    'lethe COMMAND --help lists the options of a command; lethe --version prints the version.\n',
    'Exit codes: 0 done, 1 a law, claim or run failed, 2 bad usage or input.\n',
  ].join('');
}

/** The help of one command. */
export function helpOf({ name, arguments: positional, summary, notes, options }: Command): string {
  const rows = Object.entries({ ...options, help: helpOption }).map(([key, option]) =>
    row(`--${key}${option.type === 'boolean' ? '' : ` ${option.value ?? 'TEXT'}`}`, helpWith(option)),
  );
  return [
    `lethe ${name}${positional === '' ? '' : ` ${positional}`}\n`,
    '\n',
    wrapped('', summary),
    ...(notes === undefined ? [] : ['\n', wrapped('', notes)]),
    '\n',
    ...aligned(rows),
  ].join('');
}

const helpOption: Option = { type: 'boolean', help: 'this text' };

const helpWith = ({ help, choices, isRequired = false }: Option): string =>
  [help, ...(choices === undefined ? [] : [`: ${choices.join(', ')}`]), isRequired ? ' (required)' : ''].join(
    '',
  );

interface Row {
  readonly left: string;
  readonly right: string;
}
const row = (left: string, right: string): Row => ({ left: left.trimEnd(), right });

/** Two columns, the second wrapped. */
function aligned(rows: readonly Row[]): readonly string[] {
  const width = Math.max(...rows.map(({ left }) => left.length));
  return rows.map(({ left, right }) => wrapped(`  ${left.padEnd(width)}  `, right));
}
