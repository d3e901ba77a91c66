/** RFC 6750 2.1, with the `%` that clients leave in a token which was handed to them percent-encoded. */
const HEADER = /^Bearer ([A-Za-z0-9._~+/%-]{1,1000}=*)$/i;

export const isBearerHeader = (header: string): boolean => /^\s*Bearer(\s|$)/i.test(header);

/** The token of a Bearer header, or undefined where the header is none or is malformed. */
export const readBearer = (header: string): string | undefined => HEADER.exec(header)?.[1];
