import { Injectable } from '@nestjs/common';

/** Whether this process is stopping. Meanwhile it still answers requests, and closes each connection afterwards. */
@Injectable()
export class Lifecycle {
  stopping = false;
}
