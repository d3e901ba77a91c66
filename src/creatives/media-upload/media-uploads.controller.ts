import { Get, HttpCode, Param, Post, Res } from '@nestjs/common';
import { ApiExtraModels, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { EntityManager } from 'typeorm';
import type { Caller } from '../../auth/caller.js';
import { CurrentCaller } from '../../auth/guards/ads-controller.js';
import { Policy } from '../../auth/guards/endpoint-policy.js';
import { UPLOAD_SCOPES } from '../../auth/credentials/scopes.js';
import { UserController } from '../../auth/guards/user-controller.js';
import { exclusive, missing } from '../../common/errors/catalogue.js';
import { decodedBase64 } from '../../common/http/bodies/base64.js';
import type { UploadedFile } from '../../common/http/bodies/multipart.js';
import { Returns } from '../../common/http/answers/returns.js';
import { Clock } from '../../common/time/clock.js';
import { JsonBody, Params } from '../../common/http/params/params.js';
import { Db } from '../../auth/idempotency/request-db.js';
import { OutsideTransaction } from '../../auth/idempotency/idempotency.interceptor.js';
import { MultipartBody, TakesMultipart, type Multipart } from '../../common/http/bodies/takes-body.js';
import { Semaphore } from '../../common/concurrency/semaphore.js';
import { ChunkedUploadsService } from './chunked-uploads.service.js';
import { MAX_BYTES } from '../media-inspection/media-limits.js';
import {
  AppendedSegmentView,
  DescribedMediaView,
  inV2,
  MediaUploadV2View,
  MediaUploadView,
  presentAppended,
  presentBegun,
  presentDescribed,
  presentFinished,
  presentUploaded,
} from './media-upload.presenter.js';
import {
  AppendSegment,
  DescribeMedia,
  InitializeUpload,
  UploadMedia,
  UploadMediaV2,
  UploadStatus,
  UploadStatusV2,
} from './media-uploads.dto.js';
import { MediaSubtitlesService } from './media-subtitles.service.js';
import { MediaUploadsService } from './media-uploads.service.js';

/**
 * Base64 text of 5 MiB: form encoding triples each `+` and `/`. Such a body is buffered and decoded as a whole, so the
 * service limits concurrent ones, those of both forms of uploads together.
 */
const LARGE_BODIES = { limit: 8 * 1024 * 1024, semaphore: new Semaphore(2) };

const FILE = { file: 'media', limit: MAX_BYTES, json: true, largeForms: LARGE_BODIES };

const ROUTES = ['media/upload', 'media/upload.json'];

/** Documents a response without an envelope. */
const ReturnsUpload = (status: number, description: string) =>
  ApiResponse({ status, description, schema: { $ref: getSchemaPath(MediaUploadView) } });

@UserController('1.1', { tag: 'Media upload', scopes: UPLOAD_SCOPES })
@ApiExtraModels(MediaUploadView)
export class MediaUploadsController {
  constructor(
    private readonly uploads: MediaUploadsService,
    private readonly chunked: ChunkedUploadsService,
    private readonly subtitles: MediaSubtitlesService,
    private readonly clock: Clock,
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
    largeForms: LARGE_BODIES,
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
        return presentBegun(await this.chunked.begin(caller, fields), this.clock.now());
      case 'APPEND':
        reply.status(204);
        await this.chunked.append(caller, fields, bytesOf(body));
        return undefined;
      case 'FINALIZE':
        return presentFinished(await this.chunked.finish(caller, fields), this.clock.now());
      default:
        return presentUploaded(await this.uploads.take(caller, fields, bytesOf(body)), this.clock.now());
    }
  }

  /** Upload status of a segmented upload. */
  @Get(ROUTES)
  @ReturnsUpload(200, 'The status of the upload.')
  async status(@CurrentCaller() caller: Caller, @Params() { media_id: id }: UploadStatus, @Db() db: EntityManager) {
    return presentFinished(await this.chunked.status(caller, id), this.clock.now(), await this.subtitles.of(db, id));
  }
}

/** Uploads of files: whole, or in segments of at most 5 MiB. The same uploads as those of `/1.1/media/upload`. */
@UserController('2/media/upload', { tag: 'Media upload', scopes: UPLOAD_SCOPES })
export class MediaV2Controller {
  constructor(
    private readonly uploads: MediaUploadsService,
    private readonly chunked: ChunkedUploadsService,
    private readonly subtitles: MediaSubtitlesService,
    private readonly clock: Clock,
  ) {}

  /** Uploads a file whole, or with `command` in segments, as older clients do. */
  @Post()
  @HttpCode(200)
  @OutsideTransaction()
  @TakesMultipart(UploadMediaV2, { ...FILE, base64: 'media_data', optional: true })
  @Returns(MediaUploadV2View)
  async upload(
    @CurrentCaller() caller: Caller,
    @MultipartBody() body: Multipart<UploadMediaV2, UploadedFile | undefined>,
  ) {
    const { fields } = body;
    switch (fields.command) {
      case 'INIT':
        return inV2(presentBegun(await this.chunked.begin(caller, fields), this.clock.now()));
      case 'APPEND':
        return inV2(presentBegun(await this.chunked.append(caller, fields, bytesOf(body)), this.clock.now()));
      case 'FINALIZE':
        return inV2(presentFinished(await this.chunked.finish(caller, fields), this.clock.now()));
      default:
        return inV2(presentUploaded(await this.uploads.take(caller, fields, bytesOf(body)), this.clock.now()));
    }
  }

  /** Upload status of a segmented upload. */
  @Get()
  @Returns(MediaUploadV2View)
  async status(@CurrentCaller() caller: Caller, @Params() { media_id: id }: UploadStatusV2, @Db() db: EntityManager) {
    return inV2(
      presentFinished(await this.chunked.status(caller, id), this.clock.now(), await this.subtitles.of(db, id)),
    );
  }

  /** Starts an upload in segments. */
  @Post('initialize')
  @HttpCode(200)
  @OutsideTransaction()
  @Returns(MediaUploadV2View)
  @Policy({ body: 'json' })
  async initialize(@CurrentCaller() caller: Caller, @JsonBody() params: InitializeUpload) {
    return inV2(presentBegun(await this.chunked.begin(caller, params), this.clock.now()));
  }

  /** Adds a segment. Segments may arrive in any order; one that is sent again replaces the first. */
  @Post(':media_id/append')
  @HttpCode(200)
  @OutsideTransaction()
  @TakesMultipart(AppendSegment, FILE)
  @Returns(AppendedSegmentView)
  async append(
    @CurrentCaller() caller: Caller,
    @Param('media_id') media_id: string,
    @MultipartBody() { fields: { segment_index }, file }: Multipart<AppendSegment>,
  ) {
    return presentAppended(await this.chunked.append(caller, { media_id, segment_index }, file.content));
  }

  /** Completes an upload. A large file, or a video, is processed afterwards: ask for the status. */
  @Post(':media_id/finalize')
  @HttpCode(200)
  @Policy({ body: 'json' })
  @OutsideTransaction()
  @Returns(MediaUploadV2View)
  async finalize(@CurrentCaller() caller: Caller, @Param('media_id') media_id: string) {
    return inV2(presentFinished(await this.chunked.finish(caller, { media_id }), this.clock.now()));
  }
}

/** What users say of the files that they upload. */
@UserController('2/media/metadata', { tag: 'Media upload', scopes: UPLOAD_SCOPES, body: 'json' })
export class MediaMetadataController {
  constructor(private readonly uploads: MediaUploadsService) {}

  /** Stores the alternative text of an upload, and whether people may download it. What is absent stays. */
  @Post()
  @HttpCode(200)
  @Returns(DescribedMediaView)
  async describe(@CurrentCaller() caller: Caller, @JsonBody() params: DescribeMedia, @Db() db: EntityManager) {
    return presentDescribed(await this.uploads.describe(db, caller, params));
  }
}

/** The file of a request, as a stream or from a form field. */
function bytesOf({ fields: { media_data: text }, file }: Multipart<UploadMedia, UploadedFile | undefined>) {
  if (file && text !== undefined) throw exclusive('media_data', 'media');
  if (text !== undefined) return decodedBase64(text, 'media_data');
  if (!file) throw missing('media');
  return file.content;
}
