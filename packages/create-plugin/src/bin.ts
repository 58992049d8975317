import { createPlugin, problemWith } from './create-plugin.js';
import { kinds } from './kinds.js';

const usage = `create-plugin: starts a package with a Lethe plugin of your own

  npm init @lethe/plugin KIND NAME

  KIND  ${kinds.join(', ')}
  NAME  in kebab-case, such as my-clip; names package, folder and plugin
`;
const [kind, name, ...more] = process.argv.slice(2);
const given = { kind, name, folder: process.cwd() };
if (kind === '--help' || kind === '-h') process.stdout.write(usage);
else {
  const problem =
    more.length > 0 ? `${more.length + 2} arguments were given; give a kind and a name` : problemWith(given);
  if (problem === null) {
    process.stdout.write(
      createPlugin(given)
        .map((file) => `wrote ${file}\n`)
        .join(''),
    );
    process.stdout.write(`\nNext: cd ${name} && npm install && npm test\n`);
  } else {
    process.stderr.write(`create-plugin: ${problem}\n\n${usage}`);
    process.exitCode = 2;
  }
}
