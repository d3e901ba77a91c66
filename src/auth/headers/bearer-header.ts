/** RFC 6750 2.1, and `%`, because some clients do not decode a percent-encoded token. */
const HEADER = /^Bearer ([A-Za-z0-9._~+/%-]{1,1000}=*)$/i;

export const isBearerHeader = (header: string): boolean => /^\s*Bearer(\s|$)/i.test(header);

/** The token of a Bearer header; undefined where the header has another scheme or is malformed. */
export const readBearer = (header: string): string | undefined => HEADER.exec(header)?.[1];
