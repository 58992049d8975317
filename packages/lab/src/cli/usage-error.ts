/** A command line that cannot be run as it is written. Its message is all that the user needs. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
