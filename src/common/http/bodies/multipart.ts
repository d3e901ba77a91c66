import { PassThrough, type Readable, type Transform } from 'node:stream';
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy';
import { ApiError, truncatedValue } from '../../errors/api-error.js';
import { invalid } from '../../errors/catalogue.js';
import { decodingBase64 } from './base64.js';
import { requestCancelled, tooLarge } from './unread-body.js';

/** Limits of a multipart body (RFC 7578): fields, then one file. */
export interface MultipartLimits {
  /** The name of the file part. */
  file: string;
  /** Maximum number of bytes of the file. */
  fileBytes: number;
  /** Maximum number of bytes of all fields together. */
  fieldBytes: number;
  /** The name of a part with the same file in base64, which is decoded while it arrives. */
  base64?: string;
}

/**
 * An arriving file. Its name and type come from the client and are untrusted: neither becomes a path or a content type
 * of the service.
 */
export interface UploadedFile {
  /** The file name that the client sent. */
  name?: string;
  /** The media type that the client sent, without parameters. */
  type: string;
  /** Its bytes. The stream ends only when the whole body is well-formed, and fails with the error to answer with. */
  content: Readable;
}

export interface MultipartParts {
  fields: [name: string, value: string][];
  file?: UploadedFile;
}

/** The reading of the names of parts and of the values of fields. */
export interface FieldReader {
  name: (sent: string) => string;
  value: (name: string, sent: string) => string;
}

const AS_SENT: FieldReader = { name: (sent) => sent, value: (_, sent) => sent };

/** Maximum number of parts of a body beside its file. */
const MAX_FIELDS = 100;
/** RFC 2046, 5.1.1. */
const MAX_BOUNDARY_LENGTH = 70;
/** Maximum size of the header lines of a part. */
const HEADER_BYTES = 8 * 1024;
const MAX_FIELD_NAME_LENGTH = 200;
/** Maximum size of all boundaries and header lines of a body. */
const MULTIPART_OVERHEAD = 64 * 1024;

/** Maximum number of bytes of a body within these limits. */
export const bodyBytesOf = ({ fileBytes, fieldBytes }: MultipartLimits): number =>
  fileBytes + fieldBytes + MULTIPART_OVERHEAD;

/**
 * The parts of a multipart body: resolves where the file begins, or at the end of a body without a file. Earlier errors
 * reject; later ones fail the file's `content`. The body is never buffered as a whole.
 */
export function readMultipart(
  body: Readable,
  contentType: string,
  limits: MultipartLimits,
  read: FieldReader = AS_SENT,
): Promise<MultipartParts> {
  return new Promise((resolve, reject) => {
    const parser = parserFor(contentType, limits);
    const fields: [string, string][] = [];
    let fieldBytes = 0;
    let content: Transform | undefined;
    let over = false;

    const refuse = (error: Error) => {
      if (over) return;
      over = true;
      body.unpipe(parser);
      // Further errors of the parser concern a body that is already rejected.
      parser.on('error', () => undefined);
      content?.destroy(error);
      reject(error);
    };

    parser.on('field', (sent: string | undefined, value, _nameCut, valueCut, _encoding, type) => {
      if (over) return;
      const name = sent && read.name(sent);
      const fault = faultOfField(name, type, fields.length);
      if (fault) return refuse(fault);
      if (content) {
        return refuse(invalid(name!, `"${name}" must come before ${limits.file}, which is the last part`));
      }
      fieldBytes += Buffer.byteLength(name!) + Buffer.byteLength(value);
      if (valueCut || fieldBytes > limits.fieldBytes) return refuse(fieldsTooLarge(name!, limits));
      fields.push([name!, read.value(name!, value)]);
    });
    parser.on('file', (sent: string | undefined, file, fileName, encoding, type) => {
      // A truncated part, or a part of a rejected body: `content` reports the error to its reader.
      file.on('error', () => undefined);
      if (over) return void file.resume();
      const fault = faultOfFile(sent && read.name(sent), encoding, type, limits, content !== undefined);
      if (fault) {
        file.resume();
        return refuse(fault);
      }
      content = contentOf(file, limits, refuse, sent === limits.base64 ? decodingBase64(limits.base64!) : undefined);
      resolve({ fields, file: { ...(fileName && { name: fileName }), type, content } });
    });
    parser.on('partsLimit', () =>
      refuse(invalid('body', `The body must have at most ${MAX_FIELDS} fields and one file`)),
    );
    parser.on('error', () => refuse(malformed('it ends before its closing boundary')));
    parser.on('finish', () => {
      if (over) return;
      over = true;
      content?.end();
      resolve({ fields });
    });
    body.on('error', (error: Error) => refuse(error));
    body.on('close', () => {
      if (!body.readableEnded) refuse(requestCancelled());
    });
    body.pipe(parser);
  });
}

function parserFor(contentType: string, limits: MultipartLimits): BusboyInstance {
  const boundary = /;\s*boundary=(?:"([^"]*)"|([^;\s]*))/i.exec(contentType);
  const tooLong = (boundary?.[1] ?? boundary?.[2] ?? '').length > MAX_BOUNDARY_LENGTH;
  try {
    if (tooLong) throw new Error('the boundary is too long');
    return new Busboy({
      headers: { 'content-type': contentType },
      ...(limits.base64 !== undefined && {
        isPartAFile: (name, type, fileName) =>
          fileName !== undefined ||
          type === 'application/octet-stream' ||
          name === limits.file ||
          name === limits.base64,
      }),
      limits: {
        // One more, so that the error can name the excess part.
        parts: MAX_FIELDS + 2,
        fieldSize: limits.fieldBytes,
        fileSize: limits.fileBytes,
        headerSize: HEADER_BYTES,
        headerPairs: 32,
      },
    });
  } catch {
    throw new ApiError(
      400,
      'INVALID_PARAMETER',
      `The Content-Type of a multipart body needs a boundary of at most ${MAX_BOUNDARY_LENGTH} characters`,
      {
        parameter: 'Content-Type',
        value: truncatedValue(contentType),
      },
    );
  }
}

/** The file, which ends with the body: a later part that is not allowed makes it fail. */
function contentOf(
  file: BusboyFileStream,
  limits: MultipartLimits,
  refuse: (error: Error) => void,
  content: Transform = new PassThrough(),
): Transform {
  content.on('error', () => undefined);
  file.once('limit', () => refuse(tooLarge(limits.fileBytes, false, limits.file)));
  // Nothing needs the rest; it is read all the same, or the parser would never finish.
  content.once('close', () => file.unpipe(content).resume());
  file.pipe(content, { end: false });
  return content;
}

function faultOfField(name: string | undefined, type: string, before: number): ApiError | undefined {
  if (name === undefined || name === '') return malformed('one of its parts has no name');
  if (name.length > MAX_FIELD_NAME_LENGTH) {
    return invalid('body', `The name of a part must have at most ${MAX_FIELD_NAME_LENGTH} characters`);
  }
  if (isMultipart(type)) return nested(name, type);
  if (before >= MAX_FIELDS) return invalid(name, `The body must have at most ${MAX_FIELDS} fields, got "${name}"`);
  return undefined;
}

function faultOfFile(
  name: string | undefined,
  encoding: string,
  type: string,
  { file, base64 }: MultipartLimits,
  isSecond: boolean,
): ApiError | undefined {
  if (name === undefined || name === '') return malformed('one of its parts has no name');
  if (isSecond)
    return invalid(shortened(name), `The body must have only one file, got a second one as "${shortened(name)}"`);
  if (name !== file && name !== base64) {
    return invalid(shortened(name), `Expected the file as "${file}", got it as "${shortened(name)}"`);
  }
  if (isMultipart(type)) return nested(name, type);
  if (!['7bit', '8bit', 'binary'].includes(encoding)) {
    return invalid(name, `Expected binary for Content-Transfer-Encoding of "${name}", got "${shortened(encoding)}"`);
  }
  return undefined;
}

const isMultipart = (type: string) => type.startsWith('multipart/');
const shortened = (text: string) => text.slice(0, MAX_FIELD_NAME_LENGTH);

const nested = (name: string, type: string) =>
  invalid(name, `A part cannot contain other parts, got ${shortened(type)} for "${name}"`);

const malformed = (details: string) => invalid('body', 'The body is not well-formed multipart', { details });

const fieldsTooLarge = (name: string, { fieldBytes }: MultipartLimits) =>
  new ApiError(413, 'INVALID_PARAMETER', `The fields of the body must have at most ${fieldBytes} bytes together`, {
    parameter: name,
  });
