import { parentPort } from 'node:worker_threads';
import { serveTeam, type HelperSeat } from '@lethe/numerics';

parentPort!.on('message', (seat: HelperSeat) => {
  serveTeam(seat);
  parentPort!.postMessage('free', []);
});
