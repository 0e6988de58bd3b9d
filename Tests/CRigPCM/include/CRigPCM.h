// The rig's fake sound device: an alsa-lib I/O plug-in that keeps time, records what is played, plays a file into the
// microphone, and fails on demand. alsa-lib loads it; a test talks to it through CRigControl.
//
//   pcm_type.rig { lib "…/libasound_module_pcm_rig.so" }
//   pcm.NAME {
//     type rig
//     path "…"              # beginning of the names of its files, see below; required
//     direction playback    # or capture; required
//     formats "S16_LE …"    # of S16_LE S24_LE S24_3LE S32_LE FLOAT_LE U8; default: all
//     rate_min, rate_max, channels_min, channels_max
//     period_min, period_max, buffer_min, buffer_max      # frames
//     pause 1, resume 1     # whether the hardware can
//   }
//
// Files: PATH.control (CRigControl), PATH.wake (a FIFO; a byte written to it makes the device look at its control block
// at once), PATH.input (interleaved S16, what a capture device hears, over and over), and for each hw_params of a playback
// device PATH.TAKE.RATExCHANNELS.output (interleaved S16, what was played, and nothing of what was only written).
//
// As real hardware does, the device admits one client at a time (EBUSY), stops at an xrun while the sound it hears goes
// on, and, once unplugged, never works again for the client that has it open.
#ifndef CRIGPCM_H
#define CRIGPCM_H
#endif
