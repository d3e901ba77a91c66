import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { pageNotFound } from '../../common/errors/catalogue.js';
import { sendBlob } from '../../common/http/answers/send-blob.js';
import { MediaFilesService } from './media-files.service.js';

/** Serves media files. The unguessable URL is the only protection, since browsers cannot sign requests. */
@Controller('media')
@ApiExcludeController()
export class MediaFilesController {
  constructor(private readonly files: MediaFilesService) {}

  /** Returns an image, GIF, video, poster or subtitles, in full or as a byte range. */
  @Get(':file')
  async send(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Param('file') file: string) {
    const found = await this.files.find(file);
    if (!found) throw pageNotFound();
    // previews are sandboxed and have no origin; browsers load subtitles, and the video with them, only if any may
    reply.header('access-control-allow-origin', '*');
    await sendBlob(request, reply, found);
  }
}
