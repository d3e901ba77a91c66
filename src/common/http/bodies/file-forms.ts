import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import { invalid, missing } from '../../errors/catalogue.js';
import { BodyMemoryFull } from './body-memory.js';
import { memoryFull } from './body-parsers.js';
import type { JsonBounds } from './json-bounds.js';
import { bodyBytesOf, readMultipart, type MultipartLimits, type UploadedFile } from './multipart.js';
import { JsonRefusal, parseJson } from './parse-json.js';
import { opened } from './takes-body.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    fileForm?: MultipartLimits;
  }
  interface FastifyRequest {
    /** The file of a form with `@TakesFileForm`. */
    formFile?: UploadedFile;
  }
}

/** The fields of a page's form are a CSRF token, names and ids. */
const FIELD_BYTES = 64 * 1024;

/** A form of a page that has a file as its last part. */
export const TakesFileForm = (file: string, limit: number) => {
  const fileForm = { file, fileBytes: limit, fieldBytes: FIELD_BYTES };
  return RouteConfig({ bodyLimit: bodyBytesOf(fileForm), unreadTypes: ['multipart/form-data'], fileForm });
};

/**
 * Reads the fields of a form with a file, which are then those of any form. Its file still arrives as `formFile`. Other
 * requests stay as they are. The body counts in the uploads of the user.
 */
export async function readFileForm(request: FastifyRequest, userId: string): Promise<void> {
  const { unread, headers, routeOptions } = request;
  const { fileForm } = routeOptions.config;
  if (!unread || !fileForm) return;
  const { fields, file } = await readMultipart(
    opened(request, unread, userId),
    headers['content-type'] ?? '',
    fileForm,
  );
  request.formPairs = fields;
  request.formFile = file;
}

/** The file of a form; 400 without one. */
export function formFileOf({ formFile, routeOptions }: FastifyRequest): UploadedFile {
  if (formFile) return formFile;
  throw missing(routeOptions.config.fileForm?.file ?? 'file');
}

/** The value of the JSON file of a form. Its bytes count in the memory for bodies until the response. */
export async function jsonOfFormFile(request: FastifyRequest, bounds: JsonBounds): Promise<unknown> {
  const { content } = formFileOf(request);
  const { file, fileBytes } = request.routeOptions.config.fileForm!;
  try {
    const bytes = await request.server.bodyMemory.read(content, fileBytes);
    request.bodyBytes = bytes.length;
    // browsers send a part without bytes where no file is chosen
    if (bytes.length === 0) throw missing(file);
    return await parseJson(bytes, bounds);
  } catch (error) {
    if (error instanceof BodyMemoryFull) throw memoryFull(request);
    if (!(error instanceof JsonRefusal)) throw error;
    throw invalid(file, `${error.message.replace('body', 'file')}: ${error.details}`, { details: error.details });
  }
}
