/** Version of this package, which models name. A test holds it to package.json. */
export const version = '0.1.0';
