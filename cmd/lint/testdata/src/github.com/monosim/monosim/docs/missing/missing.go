package missing // want `no package comment: write one that begins "Package missing"`
