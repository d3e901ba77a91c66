import { Get, HttpCode, Post, Res } from '@nestjs/common';
import { ApiExtraModels, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { Caller } from '../../auth/caller.js';
import { CurrentCaller } from '../../auth/guards/ads-controller.js';
import { UserController } from '../../auth/guards/user-controller.js';
import { exclusive, missing } from '../../common/errors/catalogue.js';
import { decodedBase64 } from '../../common/http/bodies/base64.js';
import type { UploadedFile } from '../../common/http/bodies/multipart.js';
import { Params } from '../../common/http/params/params.js';
import { OutsideTransaction } from '../../auth/idempotency/idempotency.interceptor.js';
import { MultipartBody, TakesMultipart, type Multipart } from '../../common/http/bodies/takes-body.js';
import { Semaphore } from '../../common/concurrency/semaphore.js';
import { ChunkedUploadsService } from './chunked-uploads.service.js';
import { MAX_BYTES } from '../media-inspection/media-limits.js';
import { MediaUploadView, presentBegun, presentFinished, presentUploaded } from './media-upload.presenter.js';
import { UploadMedia, UploadStatus } from './media-uploads.dto.js';
import { MediaUploadsService } from './media-uploads.service.js';

/** Base64 text of 5 MiB: form encoding triples each `+` and `/`. */
const MAX_FORM_BYTES = 8 * 1024 * 1024;
/** A form is buffered, decoded and signed as a whole, so the service limits concurrent ones. */
const LARGE_FORMS_AT_ONCE = 2;

const ROUTES = ['media/upload', 'media/upload.json'];

/** Documents a response without an envelope. */
const ReturnsUpload = (status: number, description: string) =>
  ApiResponse({ status, description, schema: { $ref: getSchemaPath(MediaUploadView) } });

@UserController('1.1', { tag: 'Media upload' })
@ApiExtraModels(MediaUploadView)
export class MediaUploadsController {
  constructor(
    private readonly uploads: MediaUploadsService,
    private readonly chunked: ChunkedUploadsService,
  ) {}

  /** Uploads a file as `media`, or in base64 as `media_data`: whole, or with `command` in segments of at most 5 MiB. */
  @Post(ROUTES)
  @HttpCode(200)
  @OutsideTransaction()
  @TakesMultipart(UploadMedia, {
    file: 'media',
    base64: 'media_data',
    limit: MAX_BYTES,
    optional: true,
    largeForms: { limit: MAX_FORM_BYTES, semaphore: new Semaphore(LARGE_FORMS_AT_ONCE) },
  })
  @ReturnsUpload(200, 'The uploaded media, or the status of the upload.')
  @ReturnsUpload(202, 'The new upload in segments.')
  @ApiResponse({ status: 204, description: 'The segment is stored.' })
  async upload(
    @CurrentCaller() caller: Caller,
    @MultipartBody() body: Multipart<UploadMedia, UploadedFile | undefined>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const { fields } = body;
    switch (fields.command) {
      case 'INIT':
        reply.status(202);
        return presentBegun(await this.chunked.begin(caller, fields));
      case 'APPEND':
        reply.status(204);
        return this.chunked.append(caller, fields, bytesOf(body));
      case 'FINALIZE':
        return presentFinished(await this.chunked.finish(caller, fields));
      default:
        return presentUploaded(await this.uploads.take(caller, fields, bytesOf(body)));
    }
  }

  /** Upload status of a segmented upload. */
  @Get(ROUTES)
  @ReturnsUpload(200, 'The status of the upload.')
  async status(@CurrentCaller() caller: Caller, @Params() params: UploadStatus) {
    return presentFinished(await this.chunked.status(caller, params.media_id));
  }
}

/** The file of a request, as a stream or from a form field. */
function bytesOf({ fields: { media_data: text }, file }: Multipart<UploadMedia, UploadedFile | undefined>) {
  if (file && text !== undefined) throw exclusive('media_data', 'media');
  if (text !== undefined) return decodedBase64(text, 'media_data');
  if (!file) throw missing('media');
  return file.content;
}
