/** Version of this package, by which runs are bound to the code that began them. A test holds it to package.json. */
export const version = '0.1.0';
