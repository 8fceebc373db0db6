/** Texts about pictures and files in messages. */
const en = {
  attach: "Attach…",
  attached: "Pictures of this message",
  picture: "Picture",
  showPicture: "Show",
  removePicture: "Remove",
  notShown: "A picture that browsers do not show:",
  dropHere: "Drop pictures and text files here",
  filesInMessages: "Files can be attached to messages only, not to commands and shell lines.",
  refused: {
    large: "The pictures of one message may have 11 MB together.",
    largeText: "Text files of up to 100 KB become part of the message. Name a larger one that is in the project by @.",
    unknown: "It is neither a picture nor a text.",
  },
};

const zh: typeof en = {
  attach: "添加…",
  attached: "这条消息的图片",
  picture: "图片",
  showPicture: "显示",
  removePicture: "移除",
  notShown: "浏览器无法显示的图片：",
  dropHere: "把图片和文本文件拖到这里",
  filesInMessages: "文件只能添加到消息，不能添加到命令和 Shell 命令行。",
  refused: {
    large: "一条消息的图片总共不能超过 11 MB。",
    largeText: "不超过 100 KB 的文本文件会成为消息的一部分。更大的文件若在项目中，请用 @ 指明。",
    unknown: "它既不是图片也不是文本。",
  },
};

export const picturesWords = { en, zh };
