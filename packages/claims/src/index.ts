export { maranjyanChecks, maranjyanSubject, type MaranjyanSubject } from './maranjyan/index.js';
