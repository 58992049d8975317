/** `npm run new -- KIND NAME`: a new plugin with its test, ready to be filled in. */
import { fileURLToPath } from 'node:url';
import { homes, scaffold } from './scaffold.mjs';

const [given, name] = process.argv.slice(2);
// A kind is written `localRandomiser` in code.
const kind = given?.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
try {
  for (const file of scaffold(fileURLToPath(new URL('../../../', import.meta.url)), kind, name)) console.log(`wrote ${file}`);
  console.log(`Next: say what it does and claims, add it to the list its package exports and to the table in its README, and run: npx vitest run ${name}`);
} catch (error) {
  console.error(`${error instanceof Error ? error.message : error}\nUsage: npm run new -- ${Object.keys(homes).join('|')} NAME`);
  process.exitCode = 2;
}
